"""The symbolic inputs of a search and of a batch, and what the textbook makes of them."""
import functools

import fips180
import program
import terms
import walks

MIDSTATE = [terms.atom("midstate", i) for i in range(8)]  # of one header version, whichever
TAIL = [terms.atom("tail", i) for i in range(3)]
NONCE = terms.atom("nonce")  # as the message word that it is in the header
DIGEST = [terms.atom("digest", i) for i in range(8)]
MESSAGE = [terms.atom("message", i) for i in range(16)]

SEARCH_INPUTS = ({f"midstate[{i}]": word for i, word in enumerate(MIDSTATE)} |
                 {f"tail[{i}]": word for i, word in enumerate(TAIL)})
BATCH_INPUTS = {f"message[{i}]": word for i, word in enumerate(MESSAGE)}


def midstate_of(version):
    """The midstate of the header version of that index, a term."""
    return tuple(terms.atom("of", f"midstate {i}", version) for i in range(8))


@functools.cache
def _replacements(version):
    return {("midstate", i): word for i, word in enumerate(midstate_of(version))}, {}


def word_of_version(word, version):
    """A word of the table of versions, a function of MIDSTATE, as that of one version."""
    return walks.replace(word, *_replacements(version))


@functools.cache
def top_word(nonce, midstate=tuple(MIDSTATE), constants=fips180.K):
    """The last word of SHA-256(SHA-256(header)), the one compared with the target's top word."""
    digest = fips180.digest_of_header(terms, midstate, TAIL, nonce, constants)
    return fips180.sha256_of_digest(terms, digest, constants)[7]


@functools.cache
def batch_words():
    return fips180.double_sha256_of_64_bytes(terms, MESSAGE)


def prove_search(instructions):
    """Why a printed search is not the textbook's; None if it is."""
    results = program.run(instructions, SEARCH_INPUTS | {"nonce": NONCE})
    return None if results.get("h7") == top_word(NONCE) else "h7 is not the last word of SHA-256(SHA-256(header))"


def prove_batch(instructions):
    results = program.run(instructions, BATCH_INPUTS)
    wrong = [i for i in range(8) if results.get(f"hash[{i}]") != batch_words()[i]]
    return f"words {wrong} of the hash are not those of SHA-256(SHA-256(message))" if wrong else None


@functools.cache
def job_tables(build, rolled):
    """What the host prepares, as terms by place in its tables: {"job": [...], "version": [...]}."""
    stages = [each for each in program.printed(build, *(["--versions", "2"] if rolled else []))
              if each[0] in ("job", "version")]
    results = program.run(stages, SEARCH_INPUTS)
    tables = {"job": [], "version": []}
    for name, table in tables.items():
        while f"{name}[{len(table)}]" in results:
            table.append(results[f"{name}[{len(table)}]"])
    return tables
