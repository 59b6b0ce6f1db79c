/* Little-endian numbers in bytes of any alignment. The caller has checked the bounds. */
#ifndef VERIFY_LE_H
#define VERIFY_LE_H

#include <stdint.h>

static inline uint16_t le16(const char *p)
{
	return (uint16_t)((uint8_t)p[0] | (uint8_t)p[1] << 8);
}

static inline uint32_t le32(const char *p)
{
	return le16(p) | (uint32_t)le16(p + 2) << 16;
}

static inline uint64_t le64(const char *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

#endif
