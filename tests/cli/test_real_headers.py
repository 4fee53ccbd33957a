"""Real blocks of every network, each in a window around its nonce."""

from support import Case, hits_of, main, mine, real_headers


class RealHeaders(Case):
    def test_a_sample(self):
        rows = real_headers()
        sample = rows[::200] + [row for row in rows if row["network"] == "testnet4"]
        for row in sample:
            header = bytes.fromhex(row["header_hex"])
            version, nonce = int.from_bytes(header[:4], "little", signed=False), int.from_bytes(header[76:], "little")
            start, end = max(0, nonce - 1000), min(2**32 - 1, nonce + 1007)
            document = mine(row["header_hex"][:152], "--start", str(start), "--end", str(end), "--all")
            self.assertEqual(hits_of(document), [(version, nonce, row["hash_hex"], row["header_hex"])], row)
        print(f"{len(sample)} headers found")


if __name__ == "__main__":
    main()
