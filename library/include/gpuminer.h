/* libgpuminer: double SHA-256 of many messages at once, merkle trees, and the search for a block header's nonce.
 *
 * Any number of threads may call these functions at the same time, and so may a child that a process with threads has
 * forked. They print nothing, handle no signals and are no cancellation points. Their stack: gm_search_header 300 KB,
 * gm_sha256d_messages 100 KB (even for one), the others 30 KB.
 *
 * Those that return int return GM_OK or another gm_error; where it is another, nothing has been written. What is
 * written may not overlap what is read, except where it says so. A pointer may be NULL where nothing is read or
 * written. A hash is 32 bytes in the order in which SHA-256 gives them ("internal": block explorers print them
 * reversed). */
#ifndef GPUMINER_H
#define GPUMINER_H

/* NOLINTBEGIN: this is C */
#include <stddef.h>
#include <stdint.h>

#define GM_VERSION_MAJOR 0
#define GM_VERSION_MINOR 1
#define GM_VERSION_PATCH 0

#if defined(__cplusplus) && __cplusplus >= 201103L
#define GM_NOEXCEPT noexcept
#else
#define GM_NOEXCEPT
#endif
#ifdef __cplusplus
extern "C" {
#endif
#define GM_API __attribute__((visibility("default")))

enum gm_error {
    GM_OK = 0,
    GM_ERROR_NULL = 1,    /* a pointer is NULL, and something was to be read or written there */
    GM_ERROR_SIZE = 2,    /* no memory can have this size, or lie there */
    GM_ERROR_OVERLAP = 3, /* what is written overlaps what is read */
    GM_ERROR_VALUE = 4,   /* a number is out of its range: count, index, depth, first and last, threads, seconds */
    GM_ERROR_TARGET = 5,  /* these nBits are no target: negative, zero or more than 256 bits */
    GM_ERROR_MEMORY = 6,  /* the system has not enough memory */
    GM_ERROR_CHECK = 7,   /* the checker disagrees with what the search has found: this machine computes wrongly */
    GM_ERROR_INTERNAL = 8
};

/* The version of the library that runs: "0.1.0". Until 1.0 minor versions may change the interface. */
GM_API const char* gm_version(void) GM_NOEXCEPT;
/* A phrase in English for any code, known or not; never NULL. */
GM_API const char* gm_error_text(int code) GM_NOEXCEPT;

/* SHA-256(SHA-256(data)). */
GM_API int gm_sha256d(uint8_t out[32], const void* data, size_t size) GM_NOEXCEPT;
/* The same of each message, of an array of const uint8_t*; out: count * 32 bytes, in the order of the messages. */
GM_API int gm_sha256d_messages(uint8_t* out, const uint8_t* const* messages, const size_t* sizes,
                               size_t count) GM_NOEXCEPT;
/* The same of messages of 64 bytes each, side by side: two hashes of a merkle tree. out may be in. */
GM_API int gm_sha256d64(uint8_t* out, const uint8_t* in, size_t count) GM_NOEXCEPT;

/* The root over count hashes, at least one, side by side (a level of odd length repeats its last hash). */
GM_API int gm_merkle_root(uint8_t out[32], const uint8_t* hashes, size_t count) GM_NOEXCEPT;
/* How many hashes a branch has in a tree over count. */
GM_API size_t gm_merkle_depth(size_t count) GM_NOEXCEPT;
/* What lies beside the way from hash number index (from 0) to the root, lowest first: gm_merkle_depth(count) hashes. */
GM_API int gm_merkle_branch(uint8_t* branch, const uint8_t* hashes, size_t count, size_t index) GM_NOEXCEPT;
/* The root that a hash has with its branch. */
GM_API int gm_merkle_root_of_branch(uint8_t out[32], const uint8_t hash[32], const uint8_t* branch, size_t depth,
                                    size_t index) GM_NOEXCEPT;

typedef struct gm_search {
    uint8_t header[80];         /* as serialised; its nonce does not matter */
    uint32_t first, last;       /* nonces to search, both inclusive */
    const uint8_t* target;      /* 32 bytes: a number, most significant byte first; NULL: nbits has it */
    uint32_t nbits;             /* 0: the header's */
    uint32_t threads;           /* at most 1024; 0: as many as the machine has */
    double seconds;             /* time limit; 0: none */
    const volatile int* cancel; /* NULL, or where any thread writes something other than 0 to end the search */
} gm_search;

enum gm_end {
    GM_FOUND = 0,     /* the lowest nonce of the range; any, where the limit or cancel came as well */
    GM_EXHAUSTED = 1, /* no nonce of the range has a hash at or below the target */
    GM_TIME_LIMIT = 2,
    GM_CANCELLED = 3
};

typedef struct gm_search_result {
    int end;          /* a gm_end */
    uint32_t nonce;   /* where it is GM_FOUND */
    uint8_t hash[32]; /* the header's with that nonce, by the checker, which shares no code with the search */
    uint64_t hashes;  /* nonces that were hashed */
} gm_search_result;

/* Searches for a nonce with which the header's double SHA-256 is at most the target. Limit and cancel are looked at
 * every 65,536 nonces of a thread: some milliseconds, more where there are more threads than processors. */
GM_API int gm_search_header(const gm_search* search, gm_search_result* result) GM_NOEXCEPT;

#ifdef __cplusplus
}
#endif
/* NOLINTEND */
#endif
