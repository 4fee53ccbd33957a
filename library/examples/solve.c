/* A chain of regtest headers, each of them solved: cc solve.c $(pkg-config --cflags --libs gpuminer)
 * Prints them in hex, one a line, as `gpuminer verify -` reads them. */
#include <gpuminer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    static const uint8_t nbits[4] = {0xff, 0xff, 0x7f, 0x20};
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    gm_search search = {{0}, 0, UINT32_MAX, NULL, 0, 1, 0, NULL};
    gm_search_result found;
    search.header[3] = 0x20; /* the version, 0x20000000 */
    memcpy(&search.header[72], nbits, sizeof nbits);
    while (count-- > 0) {
        int error = gm_search_header(&search, &found);
        if (error != GM_OK || found.end != GM_FOUND) {
            fprintf(stderr, "solve: %s\n", error != GM_OK ? gm_error_text(error) : "there is no such nonce");
            return 1;
        }
        for (int i = 0; i < 4; ++i) search.header[76 + i] = (uint8_t)(found.nonce >> 8 * i);
        for (int i = 0; i < 80; ++i) printf("%02x", search.header[i]);
        printf("\n");
        memcpy(&search.header[4], found.hash, sizeof found.hash); /* the next one's previous block */
    }
    return 0;
}
