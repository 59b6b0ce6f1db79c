/* Wheels that lie: one row each; every one is refused with its own reason, by the first step that can. */
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include <stdio.h>

enum { INIT, DATA, METADATA, WHEEL, RECORD }; /* the members of the honest wheel that a lie changes */

static void honest(struct wheel_maker *m)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 2000; i++) {
		buf_adds(&text, "many words that repeat; ");
	}
	wheel_maker_add(m, "demo/__init__.py", STR("x = 1\n"));
	wheel_maker_add(m, "demo/data.txt", buf_str(&text));
	wheel_maker_info(m, "");
	wheel_maker_record(m);
	buf_release(&text);
}

#define LIE(name) static void name(struct wheel_maker *m)
#define V(index) m->members.v[index]

/* Another member before RECORD is made anew. */
static struct made_member *add_listed(struct wheel_maker *m, const char *name, struct str bytes)
{
	m->members.n = RECORD;
	size_t i = m->members.n;
	wheel_maker_add(m, name, bytes);
	wheel_maker_record(m);
	return &m->members.v[i];
}

LIE(bytes_before) { m->before = STR("#!/bin/sh\nexit\n"); }
LIE(bytes_before_counted) { V(INIT).before = STR("#!/bin/sh\nexit\n"); }
LIE(bytes_behind) { m->after = STR("more"); }
LIE(bytes_before_end) { m->between = STR("gap!"); }
LIE(end_twice) { m->comment = STR("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"); }
LIE(end_in_comment) { m->comment = STR("....PK\5\6...."); }
LIE(count_less) { m->count_add = -1; }
LIE(count_more) { m->count_add = 1; }
LIE(count_huge) { m->count_add = 60000; }
LIE(directory_longer) { m->central_size_add = 8; }
LIE(directory_earlier) { m->central_offset_add = -8; }
LIE(directory_outside) { m->central_offset_add = 1 << 30; }
LIE(two_disks) { m->disk = 1; }
LIE(zip64_count) { m->zip64 = true; m->count64_add = 1; }
LIE(zip64_count_hidden) { m->zip64 = m->is_saturated = true; m->count64_add = -1; }
LIE(zip64_locator) { m->zip64 = true; m->locator_add = 4; }
LIE(zip64_extensible) { m->zip64 = true; m->extensible = STR("12345678"); }
LIE(zip64_missing) { m->is_saturated = true; }
LIE(zip64_field_useless) { V(INIT).extra = STR("\1\0\10\0\0\0\0\0\0\0\0\0"); }
LIE(zip64_field_twice) { V(INIT).zip64 = true; V(INIT).extra = STR("\1\0\0\0"); }
LIE(zip64_local_useless) { V(INIT).local_extra = STR("\1\0\20\0\6\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0"); }
LIE(zip64_local_size) { V(INIT).zip64 = true; V(INIT).local_size_add = 1; }
LIE(extra_too_long) { V(INIT).extra = STR("UT\5\0ab"); }
LIE(extra_local_too_long) { V(INIT).local_extra = STR("UT\5\0ab"); }
LIE(extra_other_name) { V(INIT).extra = STR("up\6\0\1abcdx"); }
LIE(extra_other_name_local) { V(INIT).local_extra = STR("up\6\0\1abcdx"); }
LIE(member_comment) { V(INIT).comment = STR("hello"); }
LIE(name_twice) { V(DATA).name = V(INIT).name; }
LIE(name_local_differs) { V(INIT).local_name = STR("demo/__evil__.py"); }
LIE(name_parent) { V(INIT).name = STR("demo/../../etc/passwd"); }
LIE(name_absolute) { V(INIT).name = STR("/etc/passwd"); }
LIE(name_drive) { V(INIT).name = STR("C:/windows/x"); }
LIE(name_backslash) { V(INIT).name = STR("demo\\x.py"); }
LIE(name_control) { V(INIT).name = STR("demo/a\nb.py"); }
LIE(name_nul) { V(INIT).name = STR("demo/a.py\0.txt"); }
LIE(name_not_utf8) { V(INIT).name = STR("demo/\377.py"); }
LIE(name_unmarked) { V(INIT).name = STR("demo/\303\244.py"); }
LIE(name_empty) { V(INIT).name = STR(""); }
LIE(name_slashes) { V(INIT).name = STR("demo//x.py"); }
LIE(name_dot) { V(INIT).name = STR("./demo/x.py"); }
LIE(name_trailing_dot) { V(INIT).name = STR("demo/x.py."); }
LIE(name_trailing_space) { V(INIT).name = STR("demo /x.py"); }
LIE(name_case_twin) { V(INIT).name = STR("demo/DATA.txt"); }
LIE(file_and_folder) { V(INIT).name = STR("demo/data.txt/x.py"); }
LIE(file_and_folder_entry) { V(INIT).name = STR("demo/data.txt/"); V(INIT).bytes = STR(""); }
LIE(symlink) { V(INIT).mode = 0120777; }
LIE(device) { V(INIT).mode = 0020666; }
LIE(folder_by_mode) { V(INIT).mode = 0040755; }
LIE(folder_with_bytes) { V(INIT).name = STR("demo/sub/"); }
LIE(encrypted) { V(INIT).flags = 1; }
LIE(encrypted_strongly) { V(INIT).flags = 1 << 6; }
LIE(encrypted_locally) { V(INIT).local_flags_xor = 1; }
LIE(headers_masked) { V(INIT).flags = 1 << 13; }
LIE(method_bzip2) { V(INIT).method = 12; }
LIE(method_lzma) { V(INIT).method = 14; }
LIE(method_deflate64) { V(INIT).method = 9; }
LIE(method_local_differs) { V(INIT).local_method_xor = 8; }
LIE(stored_sizes_differ) { V(INIT).method = 0; V(INIT).size_add = 1; }
LIE(size_impossible) { V(INIT).size_add = 100000; }
LIE(packed_too_long) { V(RECORD).packed_add = 1 << 20; }
LIE(overlap) { V(DATA).offset_add = -20; }
LIE(same_bytes_twice)
{
	struct made_member *twin = wheel_maker_add(m, "demo/twin.py", V(INIT).bytes);

	twin->is_virtual = true;
	twin->packed = STR("");
	twin->packed_add = 8;
}
LIE(unlisted_member) { V(DATA).is_unlisted = true; }
LIE(unlisted_large)
{
	V(DATA).is_unlisted = true;
	V(DATA).packed = (struct str){ arena_alloc(&m->arena, 70000), 70000 };
}
LIE(gap) { V(DATA).before = STR("nobody's bytes"); }
LIE(no_local_header) { V(INIT).local_magic_xor = 1; }
LIE(crc_wrong) { V(INIT).crc_xor = V(INIT).local_crc_xor = 1; }
LIE(crc_local_differs) { V(INIT).local_crc_xor = 1; }
LIE(size_local_differs) { V(INIT).local_size_add = 1; }
LIE(packed_local_differs) { V(INIT).local_packed_add = 1; }
LIE(size_declared_less) { V(RECORD).size_add = V(RECORD).local_size_add = -5; }
LIE(size_declared_more) { V(RECORD).size_add = V(RECORD).local_size_add = 5; }
LIE(deflate_damaged) { V(INIT).packed = STR("\377\377\377\377\377\377"); }
LIE(deflate_cut) { V(INIT).packed = STR("\0\20\0\357\377abc"); }
LIE(deflate_followed) { V(INIT).packed = STR("\3\0more bytes"); V(INIT).bytes = STR(""); m->members.n = RECORD; wheel_maker_record(m); }
LIE(descriptor_crc) { V(INIT).descriptor = 16; V(INIT).descriptor_crc_xor = 1; }
LIE(descriptor_unmarked) { V(INIT).descriptor = 16; V(INIT).local_flags_xor = 8; }
LIE(descriptor_absent) { V(INIT).flags = 8; }
LIE(no_info) { V(METADATA).name = STR("demo-1.0/METADATA"); V(WHEEL).name = STR("demo-1.0/WHEEL"); V(RECORD).name = STR("demo-1.0/RECORD"); }
LIE(two_infos) { V(INIT).name = STR("other-1.0.dist-info/x"); }
LIE(two_infos_case) { V(INIT).name = STR("Demo-1.0.dist-info/METADATA"); }
LIE(info_other_name) { m->file = STR("other-1.0-py3-none-any.whl"); }
LIE(info_other_version) { m->file = STR("demo-1.1-py3-none-any.whl"); }
LIE(no_metadata) { V(METADATA).name = STR("demo-1.0.dist-info/metadata.json"); }
LIE(no_wheel) { V(WHEEL).name = STR("demo-1.0.dist-info/wheels"); }
LIE(scheme_unknown) { V(INIT).name = STR("demo-1.0.data/etc/passwd"); }
LIE(metadata_other_name) { V(METADATA).bytes = STR("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n"); }
LIE(metadata_other_version) { V(METADATA).bytes = STR("Metadata-Version: 2.1\nName: demo\nVersion: 1.0.1\n"); }
LIE(metadata_bad_version) { V(METADATA).bytes = STR("Metadata-Version: 2.1\nName: demo\nVersion: one\n"); }
LIE(metadata_empty) { V(METADATA).bytes = STR(""); }
LIE(wheel_version_2) { V(WHEEL).bytes = STR("Wheel-Version: 2.0\n"); m->members.n = RECORD; wheel_maker_record(m); }
LIE(wheel_version_none) { V(WHEEL).bytes = STR("Generator: x\n"); m->members.n = RECORD; wheel_maker_record(m); }
LIE(script_path) { add_listed(m, "demo-1.0.dist-info/entry_points.txt", STR("[console_scripts]\n../../bin/sh = demo:main\n")); }
LIE(script_absolute) { add_listed(m, "demo-1.0.dist-info/entry_points.txt", STR("[other]\na/b = c\n[gui_scripts]\n/bin/sh = demo:main\n")); }
/* The first member's bytes begin at offset 31, and hold a tar header's checksum where tar has it: the
 * octal sum of the first 512 bytes of the file, its own place (148 to 155) counted as spaces. Its CRC
 * stands in a descriptor, behind them. */
LIE(also_a_tar)
{
	enum { AT = 31, SIZE = 600, SUM_AT = 148 };
	char *p = arena_alloc(&m->arena, SIZE), text[8];
	struct buf bytes = BUF_INIT;
	unsigned sum = 8 * ' ';

	for (size_t i = RECORD; i > 0; i--) {
		V(i) = V(i - 1);
	}
	V(0) = (struct made_member){ .name = STR("a"), .bytes = { p, SIZE }, .descriptor = 16 };
	wheel_maker_write(m, &bytes);
	for (size_t i = 0; i < 512; i++) {
		sum += i >= SUM_AT && i < SUM_AT + 8 ? 0 : (unsigned char)bytes.p[i];
	}
	snprintf(text, sizeof(text), "%06o", sum);
	for (size_t i = 0; i < 6; i++) {
		p[SUM_AT - AT + i] = text[i];
	}
	wheel_maker_record(m);
	buf_release(&bytes);
}

#undef V

enum step { OPEN = 1, READ_METADATA, CHECK };

static const struct hostile {
	const char *name;
	void (*lie)(struct wheel_maker *m);
	enum step step;
	const char *text; /* part of the message */
} cases[] = {
#define CASE(step, lie, text) { #lie, lie, step, text }
	CASE(OPEN, bytes_before, "bytes were put before or between them"),
	CASE(OPEN, bytes_before_counted, "15 bytes stand before the first member"),
	CASE(OPEN, bytes_behind, "bytes follow the end record, or it is cut"),
	CASE(OPEN, bytes_before_end, "bytes were put before or between them"),
	CASE(OPEN, end_twice, "two end records"),
	CASE(OPEN, end_in_comment, "two end records"),
	CASE(OPEN, count_less, "bytes follow its 4 records"),
	CASE(OPEN, count_more, "record 6 of 6: no record of a member is there"),
	CASE(OPEN, count_huge, "cannot list 60005 members"),
	CASE(OPEN, directory_longer, "does not reach to the end record"),
	CASE(OPEN, directory_earlier, "does not reach to the end record"),
	CASE(OPEN, directory_outside, "does not reach to the end record"),
	CASE(OPEN, two_disks, "split over several disks"),
	CASE(OPEN, zip64_count, "the ZIP64 end record contradicts the end record"),
	CASE(OPEN, zip64_count_hidden, "bytes follow its 4 records"),
	CASE(OPEN, zip64_locator, "no ZIP64 end record stands before its locator"),
	CASE(OPEN, zip64_extensible, "no ZIP64 end record stands before its locator"),
	CASE(OPEN, zip64_missing, "does not reach to the end record"),
	CASE(OPEN, zip64_field_useless, "numbers that nothing asks for"),
	CASE(OPEN, zip64_field_twice, "it has two ZIP64 fields"),
	CASE(CHECK, zip64_local_useless, "its ZIP64 field does not fit its sizes"),
	CASE(CHECK, zip64_local_size, "contradicts the central directory: size"),
	CASE(OPEN, extra_too_long, "its extra fields do not fit their length"),
	CASE(CHECK, extra_local_too_long, "its extra fields do not fit their length"),
	CASE(OPEN, extra_other_name, "an extra field gives it a second name"),
	CASE(CHECK, extra_other_name_local, "an extra field gives it a second name"),
	CASE(OPEN, member_comment, "it has a comment"),
	CASE(OPEN, name_twice, "two members are named \"demo/__init__.py\""),
	CASE(CHECK, name_local_differs, "contradicts the central directory: name"),
	CASE(OPEN, name_parent, "\"demo/../../etc/passwd\": unsafe name: it has a \".\" or \"..\""),
	CASE(OPEN, name_absolute, "unsafe name: it is absolute"),
	CASE(OPEN, name_drive, "unsafe name: it is absolute"),
	CASE(OPEN, name_backslash, "unsafe name: it has a backslash"),
	CASE(OPEN, name_control, "\"demo/a\\x0ab.py\": unsafe name: it has a control character"),
	CASE(OPEN, name_nul, "\"demo/a.py\\x00.txt\": unsafe name: it has a control character"),
	CASE(OPEN, name_not_utf8, "\"demo/\\xff.py\": unsafe name: it is not UTF-8"),
	CASE(OPEN, name_unmarked, "not marked as UTF-8"),
	CASE(OPEN, name_empty, "unsafe name: it is empty"),
	CASE(OPEN, name_slashes, "unsafe name: it has an empty component"),
	CASE(OPEN, name_dot, "unsafe name: it has a \".\" or \"..\" component"),
	CASE(OPEN, name_trailing_dot, "ends in a dot or a space"),
	CASE(OPEN, name_trailing_space, "ends in a dot or a space"),
	CASE(OPEN, name_case_twin, "two members differ only in case: \"demo/data.txt\""),
	CASE(OPEN, file_and_folder, "\"demo/data.txt\" is a file and a folder"),
	CASE(OPEN, file_and_folder_entry, "\"demo/data.txt\" is a file and a folder"),
	CASE(OPEN, symlink, "it is a symbolic link"),
	CASE(OPEN, device, "it is neither a file nor a folder"),
	CASE(OPEN, folder_by_mode, "its mode says folder, its name says file"),
	CASE(OPEN, folder_with_bytes, "it is a folder that has contents"),
	CASE(OPEN, encrypted, "it is encrypted"),
	CASE(OPEN, encrypted_strongly, "its flags 0x0040 are not supported"),
	CASE(CHECK, encrypted_locally, "contradicts the central directory: flags"),
	CASE(OPEN, headers_masked, "its flags 0x2000 are not supported"),
	CASE(OPEN, method_bzip2, "compression method 12: only stored (0) and deflate (8)"),
	CASE(OPEN, method_lzma, "compression method 14"),
	CASE(OPEN, method_deflate64, "compression method 9"),
	CASE(CHECK, method_local_differs, "contradicts the central directory: compression method"),
	CASE(OPEN, stored_sizes_differ, "it is stored, but its sizes differ (6 and 7)"),
	CASE(OPEN, size_impossible, "100006 bytes cannot come from"),
	CASE(OPEN, packed_too_long, "overlaps what follows it"),
	CASE(OPEN, overlap, "overlaps what follows it"),
	CASE(OPEN, same_bytes_twice, "overlaps what follows it"),
	CASE(CHECK, unlisted_member, "\"demo/data.txt\" is not a file of the wheel"),
	CASE(OPEN, unlisted_large, "belong to no member"),
	CASE(CHECK, gap, "14 bytes behind it are no part of any member"),
	CASE(CHECK, no_local_header, "no local header at offset 0"),
	CASE(CHECK, crc_wrong, "wrong CRC-32"),
	CASE(CHECK, crc_local_differs, "contradicts the central directory: CRC-32"),
	CASE(CHECK, size_local_differs, "contradicts the central directory: size"),
	CASE(CHECK, packed_local_differs, "contradicts the central directory: packed size"),
	CASE(CHECK, size_declared_less, "RECORD: it inflates to more than the"),
	CASE(CHECK, size_declared_more, "bytes and declares"),
	CASE(CHECK, deflate_damaged, "its deflated bytes are damaged (invalid block type)"),
	CASE(CHECK, deflate_cut, "its deflated bytes are damaged (they end too early)"),
	CASE(CHECK, deflate_followed, "10 bytes follow its deflated contents"),
	CASE(CHECK, descriptor_crc, "its data descriptor contradicts the central directory"),
	CASE(CHECK, descriptor_unmarked, "contradicts the central directory: flags"),
	CASE(CHECK, descriptor_absent, "0 bytes behind it are no data descriptor"),
	CASE(OPEN, no_info, "no .dist-info folder"),
	CASE(OPEN, two_infos, "two .dist-info folders: \"other-1.0.dist-info\" and \"demo-1.0.dist-info\""),
	CASE(OPEN, two_infos_case, "two .dist-info folders"),
	CASE(OPEN, info_other_name, "its folder \"demo-1.0.dist-info\" does not belong to its file name"),
	CASE(OPEN, info_other_version, "its folder \"demo-1.0.dist-info\" does not belong to its file name"),
	CASE(OPEN, no_metadata, "has no METADATA"),
	CASE(OPEN, no_wheel, "has no WHEEL"),
	CASE(OPEN, scheme_unknown, "\"demo-1.0.data/etc/passwd\": not under a scheme"),
	CASE(READ_METADATA, metadata_other_name, "METADATA: Name \"other\" is not that of the file"),
	CASE(READ_METADATA, metadata_other_version, "METADATA: Version \"1.0.1\" is not that of the file, \"1.0\""),
	CASE(READ_METADATA, metadata_bad_version, "METADATA: "),
	CASE(READ_METADATA, metadata_empty, "METADATA: "),
	CASE(CHECK, wheel_version_2, "Wheel-Version \"2.0\": installers know 1.x only"),
	CASE(CHECK, wheel_version_none, "no Wheel-Version"),
	CASE(CHECK, script_path, "the script \"../../bin/sh\" is no plain file name"),
	CASE(CHECK, script_absolute, "the script \"/bin/sh\" is no plain file name"),
	CASE(CHECK, also_a_tar, "the file is also a tar archive"),
};

static enum step refused_at(struct str file, struct wheel_source *source, struct err *e)
{
	const struct wheel_metadata *md;
	struct wheel *w = NULL;
	enum step at = 0;

	if (wheel_open(source, file, &w, e)) {
		return OPEN;
	}
	if (wheel_metadata(w, &md, e)) {
		at = READ_METADATA;
	} else if (wheel_check_record(w, e)) {
		at = CHECK;
	}
	wheel_close(w);
	return at;
}

UNIT(wheel_refuses_every_lie)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
		struct buf bytes = BUF_INIT;
		struct err e = ERR_INIT;
		struct made_source s = { .reads = 0 };

		honest(&m);
		cases[i].lie(&m);
		wheel_maker_write(&m, &bytes);
		s.bytes = buf_str(&bytes);
		struct wheel_source source = made_source_open(&s);
		enum step at = refused_at(m.file, &source, &e);
		ck_assert_msg(at == cases[i].step, "%s: refused at step %d, not %d: %s", cases[i].name, at,
			cases[i].step, e.text);
		ck_assert_msg(e.rc == RC_WHEEL, "%s: rc %s: %s", cases[i].name, err_reason(e.rc), e.text);
		ck_assert_msg(str_has(str_of(e.text), cases[i].text), "%s: \"%s\" lacks \"%s\"",
			cases[i].name, e.text, cases[i].text);
		ck_assert_msg(str_starts(str_of(e.text), arena_dup(&m.arena, m.file)), "%s", e.text);
		buf_release(&bytes);
		wheel_maker_release(&m);
	}
}

/* A wheel cut at any byte, and with any one byte of its structure changed, is refused or means the same. */
UNIT(wheel_survives_every_cut)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;

	honest(&m);
	wheel_maker_write(&m, &bytes);
	for (size_t n = 0; n < bytes.n; n++) {
		struct made_source s = { .bytes = { bytes.p, n } };
		struct wheel_source source = made_source_open(&s);
		struct err e = ERR_INIT;

		ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
		ck_assert_int_eq(e.rc, RC_WHEEL);
	}
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_contents_are_bound_by_every_byte)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	size_t accepted = 0;

	honest(&m);
	wheel_maker_write(&m, &bytes);
	for (size_t i = 0; i < bytes.n; i++) {
		struct made_source s = { .bytes = buf_str(&bytes) };
		struct wheel_source source = made_source_open(&s);
		struct err e = ERR_INIT;

		bytes.p[i] ^= 0x10;
		accepted += refused_at(m.file, &source, &e) == 0;
		bytes.p[i] ^= 0x10;
	}
	/* Versions, times, levels and attributes may change: per member 10 bytes of the local header (of
	 * which nothing is used) and 18 of the central record, plus the bytes of deflate that mean nothing. */
	ck_assert_uint_lt(accepted, m.members.n * 32);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_refuses_over_the_limits)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct made_source s = { .reads = 0 };

	honest(&m);
	m.zip64 = m.is_saturated = true;
	m.count64_add = 300000;
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
	ck_assert_int_eq(e.rc, RC_LIMIT);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_refuses_a_decompression_bomb)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct made_source s = { .reads = 0 };
	size_t n = 65 << 20;

	wheel_maker_add(&m, "demo/zeros", (struct str){ arena_alloc(&m.arena, n), n });
	wheel_maker_info(&m, "");
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
	ck_assert_int_eq(e.rc, RC_WHEEL);
	ck_assert_msg(str_has(str_of(e.text), "a decompression bomb"), "%s", e.text);
	buf_release(&bytes);
	wheel_maker_release(&m);
}
