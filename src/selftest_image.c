/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

static const char image_name[] = "image.img";

int selftest_image_blank(struct selftest_image *image, struct error *err)
{
    const int fd =
        openat(image->run->scratch.folder, image_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int result;

    if (fd < 0)
        return error_errno(err, "%s", image_name);
    result = ftruncate(fd, (off_t)image->system->len) ? error_errno(err, "%s", image_name) : 0;
    close(fd);
    return result;
}

int selftest_image_map(struct selftest_image *image, struct error *err)
{
    const int fd = openat(image->run->scratch.folder, image_name, O_RDWR | O_CLOEXEC);
    const off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    void *bytes = len > 0 ? mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    int result = 0;

    if (bytes == MAP_FAILED) {
        result = error_errno(err, "%s", image_name);
    } else {
        image->bytes = bytes;
        image->len = (size_t)len;
    }
    if (fd >= 0)
        close(fd);
    return result;
}

void selftest_image_unmap(struct selftest_image *image)
{
    if (image->bytes)
        munmap(image->bytes, image->len);
    image->bytes = NULL;
    image->len = 0;
}

uint64_t selftest_image_number(const struct selftest_image *image, uint64_t at, unsigned bytes)
{
    return at > image->len || bytes > image->len - at ? 0 : bytes_load_le(image->bytes + at, (int)bytes);
}

void selftest_image_clear_bits(struct selftest_image *image, uint64_t map, uint64_t first, uint64_t count)
{
    for (uint64_t bit = first; bit < first + count && map + bit / 8 < image->len; bit++)
        image->bytes[map + bit / 8] &= (uint8_t) ~(1u << bit % 8);
}
