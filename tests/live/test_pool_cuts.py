"""250 cuts of connections (GPUMINER_CUTS) at places that GPUMINER_CUTS_SEED chooses, and kills at random moments. No
valid share is lost that the pool would still take, and none is sent twice on a connection."""

import os
import random
import re
import time

from fault_proxy import FaultProxy, Plan
from pool_server import PoolServer
from support import CPU, SANITIZED, Case, journal, main

CUTS = int(os.environ.get("GPUMINER_CUTS", "250"))
SEED = int(os.environ.get("GPUMINER_CUTS_SEED", time.strftime("%Y%m%d")))  # other places each day
REACH = 3000  # bytes of a conversation, each way
LOGIN = 1000  # about where the login is over
DIFFICULTY = 1e-5
MINERS = 8
MINER = ["-u", "worker", *CPU, "-R", 0.01, "--json"]
# Some 15 shares a second. (Of more than 20 the journal gets sums.)
SLOW, FAST = ["--max-hashrate", "650k"], ["--max-hashrate", "4M"]


def plans(count):
    """Cuts all over both directions (after every byte, if there are 8,000), in turn before and after the end of the
    login, so that each second connection gets that far and the pauses stay short."""
    choice = random.Random(SEED)

    def places(first, end):
        step = min(end - first, max(1, 4 * (end - first) // count))
        return [(way, at) for way in ("cut_up", "cut_down") for at in range(first + choice.randrange(step), end, step)]

    early, late = places(0, LOGIN), places(LOGIN, REACH)
    for cuts in (early, late):
        choice.shuffle(cuts)
    return [Plan(**{way: at}, reset=number % 3 == 0)
            for number in range(count)
            for way, at in [(early, late)[number % 2][number // 2 % len((early, late)[number % 2])]]]


class Ledger:
    """What the journal and the pool say about the same shares."""

    def __init__(self, file, pool):
        entries = journal(file)
        self.sessions = {session.extranonce1.hex() for session in pool.sessions.values()}
        self.shares = {entry["id"]: entry for entry in entries if entry["event"] == "share"}
        self.dropped = {entry["share"]: entry["reason"] for entry in entries if entry["event"] == "dropped"}
        self.replies = [entry for entry in entries if entry["event"] == "reply"]
        self.pool = pool

    @staticmethod
    def key(entry):
        return (entry["extranonce1"], entry["job"], entry["extranonce2"], entry["ntime"], entry["nonce"],
                entry.get("version_bits", "00000000"))

    def taken(self):
        """Those that the pool has accepted."""
        return [(self.pool.sessions[share.session].extranonce1.hex(), *share.key) for share in self.pool.accepted()]


class Survival(Case):
    def check(self, file, pool, miner):
        document = miner.document()
        # One that was sent again is a duplicate before the first of them, on a connection that was cut, has its verdict.
        self.wait_until(lambda: pool.judging == 0, "the last verdict")
        ledger = Ledger(file, pool)
        taken = ledger.taken()
        self.assertEqual(len(taken), len(set(taken)))
        written = {ledger.key(entry): entry["id"] for entry in ledger.shares.values()}
        self.assertEqual(set(taken) - set(written), set(), "shares that were sent and not written down")
        # What was under way when it was told to end is for the next run; the miner says how many those are.
        settled = {entry["share"] for entry in ledger.replies} | ledger.dropped.keys()
        # A disk that is busy with other things for 200 ms at the end does without the last replies; the miner says of how many.
        found = re.search(r"(\d+) entries of the journal \S+ are lost", miner.messages)
        unwritten = len(ledger.shares.keys() - settled) - document["unanswered"]
        self.assertIn(unwritten, range(int(found[1]) + 1 if found else 1), miner.messages[-2000:])
        lost = [key for key, ident in written.items() if key not in set(taken) and ident in settled]
        # Their replies, and what became of them: as much as tells whether it was the miner's fault or the pool's.
        fates = [entry for key in lost[:3] for entry in journal(file)
                 if written[key] in (entry.get("id"), entry.get("share"))]
        heard = [share for share in pool.shares if share.key in [key[1:] for key in lost]]
        self.assertEqual(lost, [], f"lost: {fates}; the pool: {heard}; the miner: {miner.messages[-2000:]}")
        answered = [entry["share"] for entry in ledger.replies]
        self.assertEqual(len(answered), len(set(answered)), "two replies to one share")
        self.assertEqual({entry["share"] for entry in ledger.replies if not entry["accepted"]}, set())
        self.assertEqual(pool.repeated(), 0, "sent twice on a connection")
        self.assertEqual(set(pool.verdicts()) - {"accepted", "Duplicate share"}, set())
        self.assertEqual(pool.errors, [])
        self.assertEqual(len(written), len(ledger.shares), "a share was found twice")
        return ledger

    def pool(self, **settings):
        pool = PoolServer(DIFFICULTY, **settings)
        self.addCleanup(pool.close)
        return pool

    def wait_for_cuts(self, count, proxy, miner):
        while (before := proxy.count) <= count:
            self.wait_until(lambda: proxy.count > before, f"cut {before} of {count}", miner)

    def test_cuts(self):
        print(f"GPUMINER_CUTS={CUTS} GPUMINER_CUTS_SEED={SEED}")
        cuts = plans(CUTS)
        runs = [self.begin_cuts(number, cuts[number * CUTS // MINERS:(number + 1) * CUTS // MINERS]) for number in range(MINERS)]
        for run in runs:
            self.end_cuts(*run)

    def begin_cuts(self, number, cuts):
        """A miner whose connections to a pool of its own are cut at these places, one after the other."""
        pool = self.pool()
        proxy = FaultProxy(pool.port, lambda number: cuts[number - 1] if number <= len(cuts) else Plan())
        self.addCleanup(proxy.close)
        file = self.folder / f"journal-{number}"
        return pool, proxy, file, len(cuts), self.start("pool", "-o", proxy.url, *MINER, *SLOW, "--journal", file, name=f"miner-{number}")

    def end_cuts(self, pool, proxy, file, count, miner):
        self.wait_for_cuts(count // 4, proxy, miner)
        memory, descriptors = miner.memory(), miner.descriptors()
        self.wait_for_cuts(count, proxy, miner)
        before = len(pool.accepted())
        self.wait_until(lambda: len(pool.accepted()) >= before + 20, "shares after the last cut", miner)
        if not SANITIZED:
            self.assertLess(miner.memory(), memory + 6 * 1024, "memory grows")  # KiB
        self.assertLessEqual(abs(miner.descriptors() - descriptors), 4)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        document = miner.document()
        ledger = self.check(file, pool, miner)
        self.assertEqual(document["rejected"], 0, document)
        self.assertGreater(len(ledger.shares), count // 4)
        self.assertEqual(len(pool.sessions), len({share.session for share in pool.accepted()} | {"00000001"}))
        print(f"{proxy.count - 1} cuts, {len(ledger.shares)} shares, {pool.verdicts()}, {document.get('resent', '')}")

    def test_kills(self):
        pool = self.pool(judge=lambda _: time.sleep(0.01))  # most kills find a share without an answer
        file = self.folder / "journal"
        choice = random.Random(SEED)
        for _ in range(12):
            miner = self.start("pool", "-o", pool.url, *MINER, *FAST, "--journal", file)
            before = len(pool.shares)
            self.wait_until(lambda: len(pool.shares) > before, "a share", miner)
            time.sleep(choice.random() * 0.4)
            miner.kill()
        miner = self.start("pool", "-o", pool.url, *MINER, *FAST, "--journal", file)
        before = len(pool.accepted())
        self.wait_until(lambda: len(pool.accepted()) >= before + 10, "shares after the last kill", miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        ledger = self.check(file, pool, miner)
        print(f"12 kills, {len(ledger.shares)} shares, {pool.verdicts()}, {len(pool.sessions)} sessions")


if __name__ == "__main__":
    main()
