/* Counts n-queens the plain way, to have something to compare with: one queen a row, three bit masks,
 * one of two mirror images. Usage: queens N, with N from 0 to 31. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t place(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == all)
        return 1;
    uint64_t found = 0;
    for (uint32_t open = all & ~(columns | left | right); open; open &= open - 1) {
        uint32_t queen = open & -open;
        found += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return found;
}

int main(int count, char **words)
{
    int n = count == 2 ? atoi(words[1]) : -1;
    if (n < 0 || n > 31) {
        fputs("usage: queens N, with N from 0 to 31\n", stderr);
        return 2;
    }
    uint32_t all = (UINT32_C(1) << n) - 1, half = all >> (n + 1) / 2;
    uint64_t found = 0;
    for (uint32_t open = half; open; open &= open - 1) {
        uint32_t queen = open & -open;
        found += 2 * place(all, queen, queen << 1, queen >> 1);
    }
    if (n % 2) {
        /* The first queen stands in the middle: the second one decides between the mirror images. */
        uint32_t middle = UINT32_C(1) << n / 2;
        for (uint32_t open = half & ~(middle >> 1); open; open &= open - 1) {
            uint32_t queen = open & -open;
            found += 2 * place(all, middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
        }
    }
    if (n < 2)
        found = 1;
    printf("%" PRIu64 "\n", found);
    return 0;
}
