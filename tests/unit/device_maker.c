#include "tests/unit/device_maker.h"

#include <string.h>

static void put_number(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		buf_addc(out, (char)(i < 8 ? value >> (8 * i) & 0xff : 0));
	}
}

static void pad(struct buf *out, size_t to)
{
	while (out->n % to) {
		buf_addc(out, '\0');
	}
}

static void put_entry(const struct made_entry *entry, struct buf *out)
{
	size_t begin = out->n;
	uint32_t header = entry->header ? entry->header : 64;
	uint64_t stored = entry->payload.n > entry->stored ? entry->payload.n : entry->stored;

	put_number(out, entry->kind, 2);
	put_number(out, 0x0101, 2);
	put_number(out, header, 4);
	put_number(out, stored, 8);
	put_number(out, entry->packed, 8);
	put_number(out, entry->isa_minor, 2);
	put_number(out, entry->isa_major, 2);
	put_number(out, entry->sm, 4);
	put_number(out, 0, 8);
	put_number(out, entry->flags | 0x11, 8);
	put_number(out, 0, 8);
	put_number(out, entry->size, 8);
	while (out->n - begin < header) {
		buf_addc(out, (char)(out->n * 7));
	}
	buf_addstr(out, entry->payload);
	while (out->n - begin < header + stored) {
		buf_addc(out, (char)(out->n * 7));
	}
}

void fatbin_make(const struct made_entry *v, size_t n, int64_t total_add, struct buf *out)
{
	struct buf entries = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		put_entry(&v[i], &entries);
	}
	put_number(out, UINT64_C(0xba55ed50), 4);
	put_number(out, 1, 2);
	put_number(out, 16, 2);
	put_number(out, entries.n + (uint64_t)total_add, 8);
	buf_addstr(out, buf_str(&entries));
	pad(out, 8);
	buf_release(&entries);
}

static void put_section(
	struct buf *out, uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
	put_number(out, name, 4);
	put_number(out, type, 4);
	put_number(out, 0, 16);
	put_number(out, offset, 8);
	put_number(out, size, 8);
	put_number(out, 0, 24);
}

void elf_make(const struct made_elf *elf, struct buf *out)
{
	static const char names[] = "\0.shstrtab";
	size_t section = strlen(elf->section) + 1, contents = 64;
	size_t strings = contents + elf->contents.n, table;

	buf_add(out, "\177ELF\2\1\1\0", 8);
	out->p[out->n - 1] = elf->abi >= 8 ? 0x41 : 0;
	put_number(out, elf->abi, 8);
	put_number(out, 3, 2);
	put_number(out, elf->machine, 2);
	put_number(out, elf->version ? elf->version : 1, 4);
	put_number(out, 0, 16);
	table = (strings + sizeof(names) + section + 7) / 8 * 8;
	put_number(out, table, 8);
	put_number(out, elf->flags, 4);
	put_number(out, 64, 2);
	put_number(out, 0, 4);
	put_number(out, 64, 2);
	put_number(out, 3, 2);
	put_number(out, 1, 2);
	buf_addstr(out, elf->contents);
	buf_add(out, names, sizeof(names));
	buf_add(out, elf->section, section);
	pad(out, 8);
	put_section(out, 0, 0, 0, 0);
	put_section(out, 1, 3, strings, sizeof(names) + section);
	put_section(out, sizeof(names), 1, contents, elf->contents.n);
}

void note_make(uint32_t type, const char *text, struct buf *out)
{
	static const char owner[] = "NVIDIA Corp";

	put_number(out, sizeof(owner), 4);
	put_number(out, strlen(text) + 1, 4);
	put_number(out, type, 4);
	buf_add(out, owner, sizeof(owner));
	buf_add(out, text, strlen(text) + 1);
	pad(out, 4);
}

void cubin_make(const char *release, size_t before, struct buf *out)
{
	CLEANUP_BUF struct buf contents = BUF_INIT, text = BUF_INIT;

	while (contents.n < before) {
		/* Names of kernels: they look alike, and not quite. */
		buf_addf(&contents, "_Z6kernelI%07zuE", contents.n * 2654435761u % 9999991);
	}
	pad(&contents, 4);
	buf_addf(&text, "ptxas, release, V%s, -arch sm_100f", release);
	note_make(2000, text.p, &contents);
	elf_make(&(struct made_elf){ .machine = 190,
			 .abi = 8,
			 .flags = 0x6006402,
			 .section = ".note.nv.tkinfo",
			 .contents = buf_str(&contents) },
		out);
}
