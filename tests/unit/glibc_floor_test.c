#include "mirror/glibc_floor.h"

#include "manifests/base/buf.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <elf.h>
#include <string.h>

/* A library of three sections: the names of sections, .dynstr, .gnu.version_r. */
static const char section_names[] = "\0.shstrtab\0.dynstr\0.gnu.version_r";
enum { NAME_SHSTRTAB = 1, NAME_DYNSTR = 11, NAME_VERSION_R = 19, SECTIONS = 4 };

static void add_section(
	Elf64_Shdr *s, unsigned name, unsigned type, struct buf *file, const void *bytes, size_t n)
{
	*s = (Elf64_Shdr){ .sh_name = name,
		.sh_type = type,
		.sh_offset = file->n,
		.sh_size = n,
		.sh_addralign = 1 };
	buf_add(file, bytes, n);
}

static void make_elf(
	struct buf *out, const char *names, size_t nnames, const void *records, size_t nrecords)
{
	Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				    ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = 1 };
	Elf64_Shdr sections[SECTIONS] = { { 0 } };

	buf_add(out, &head, sizeof(head));
	add_section(
		&sections[1], NAME_SHSTRTAB, SHT_STRTAB, out, section_names, sizeof(section_names));
	add_section(&sections[2], NAME_DYNSTR, SHT_STRTAB, out, names, nnames);
	add_section(&sections[3], NAME_VERSION_R, SHT_GNU_verneed, out, records, nrecords);
	while (out->n % 8) {
		buf_addc(out, 0);
	}
	head.e_shoff = out->n;
	buf_add(out, sections, sizeof(sections));
	memcpy(out->p, &head, sizeof(head));
}

static const char names[] =
	"\0libc.so.6\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBCXX_3.4.30\0GLIBC_PRIVATE";
enum { AT_225 = 11, AT_234 = 23, AT_29 = 34, AT_CXX = 44, AT_PRIVATE = 59 };

struct records { /* two libraries, with two versions and one */
	Elf64_Verneed a;
	Elf64_Vernaux a1, a2;
	Elf64_Verneed b;
	Elf64_Vernaux b1;
};

static struct records sample(void)
{
	struct records r = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };

	r.a = (Elf64_Verneed){ .vn_version = 1,
		.vn_cnt = 2,
		.vn_file = 1,
		.vn_aux = sizeof(r.a),
		.vn_next = offsetof(struct records, b) };
	r.a1 = (Elf64_Vernaux){ .vna_name = AT_225, .vna_next = sizeof(r.a1) };
	r.a2 = (Elf64_Vernaux){ .vna_name = AT_29 };
	r.b = (Elf64_Verneed){ .vn_version = 1, .vn_cnt = 1, .vn_file = 1, .vn_aux = sizeof(r.b) };
	r.b1 = (Elf64_Vernaux){ .vna_name = AT_234 };
	return r;
}

UNIT(glibc_floor_is_the_highest_version_asked_for)
{
	static const struct {
		unsigned first, second, third; /* names of the three */
		unsigned minor;                /* 0: none */
	} rows[] = {
		{ AT_225, AT_29, AT_234, 34 },
		{ AT_234, AT_225, AT_29, 34 },
		{ AT_225, AT_29, AT_29, 9 }, /* 2.9 is above 2.2.5: numbers, not text */
		{ AT_CXX, AT_PRIVATE, AT_225, 2 },
		{ AT_CXX, AT_PRIVATE, AT_CXX, 0 },
		{ AT_CXX, 0, 1000000, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP_BUF struct buf file = BUF_INIT;
		struct records r = sample();
		unsigned major = 0, minor = 0;

		r.a1.vna_name = rows[i].first;
		r.a2.vna_name = rows[i].second;
		r.b1.vna_name = rows[i].third;
		make_elf(&file, names, sizeof(names), &r, sizeof(r));
		ck_assert_msg(
			glibc_floor_of_elf(buf_str(&file), &major, &minor) == (rows[i].minor != 0),
			"row %zu", i);
		ck_assert_msg(minor == rows[i].minor, "row %zu: %u", i, minor);
	}
}

UNIT(glibc_floor_survives_lies)
{
	struct records circle = sample(), far = sample(), many = sample();
	unsigned major = 0, minor = 0;

	circle.b.vn_next = (Elf64_Word) - (int)offsetof(struct records, b);
	circle.a2.vna_next = (Elf64_Word) - (int)sizeof(circle.a1);
	circle.a.vn_cnt = 65535;
	far.a.vn_aux = far.a.vn_next = 0xfffffff0u;
	many.a.vn_cnt = many.b.vn_cnt = 65535;
	many.b1.vna_next = 4;
	const struct records *const lies[] = { &circle, &far, &many };

	for (size_t i = 0; i < 3; i++) {
		for (size_t n = 0; n <= sizeof(struct records); n++) {
			CLEANUP_BUF struct buf file = BUF_INIT;

			make_elf(&file, names, n % sizeof(names), lies[i], n);
			(void)glibc_floor_of_elf(buf_str(&file), &major, &minor);
		}
	}
	ck_assert_uint_le(minor, 34); /* nothing was made up */
	ck_assert(!glibc_floor_of_elf(STR("not elf"), &major, &minor));
	ck_assert(!glibc_floor_of_elf(STR_NULL, &major, &minor));
}

UNIT(glibc_floor_of_a_program_of_this_machine)
{
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	unsigned major = 0, minor = 0;

	ck_assert_msg(fs_read("/proc/self/exe", 1 << 30, &bytes, &e) == 0, "%s", e.text);
#ifdef __GLIBC__
	ck_assert(glibc_floor_of_elf(buf_str(&bytes), &major, &minor));
	ck_assert_uint_eq(major, 2);
	ck_assert_uint_le(minor, __GLIBC_MINOR__);
#endif
}
