#include "manifests/cuda_driver.h"
#include "manifests/dotted.h"

enum row_kind { ROW_FAMILY = 1, ROW_TOOLKIT, ROW_GPU, ROW_PTX };

struct row {
	enum row_kind kind;
	unsigned major, minor;
	const char *linux_driver, *windows_driver; /* but PTX */
	struct cuda_version cuda;                  /* of PTX */
};

#define FAMILY(major, linux, windows) { ROW_FAMILY, major, 0, linux, windows, { 0, 0 } },
#define TOOLKIT(major, minor, linux, windows) \
	{ ROW_TOOLKIT, major, minor, linux, windows, { 0, 0 } },
#define GPU(major, minor, linux, windows) { ROW_GPU, major, minor, linux, windows, { 0, 0 } },
#define PTX(major, minor, cuda_major, cuda_minor) \
	{ ROW_PTX, major, minor, NULL, NULL, { cuda_major, cuda_minor } },

static const struct row rows[] = {
#include "manifests/data/cuda_driver.def"
};

enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

static const struct row *find_row(enum row_kind kind, unsigned major, unsigned minor)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (rows[i].kind == kind && rows[i].major == major && rows[i].minor == minor) {
			return &rows[i];
		}
	}
	return NULL;
}

static const char *driver_of(const struct row *r, enum target_os os)
{
	if (!r) {
		return NULL;
	}
	return os == TARGET_WINDOWS ? r->windows_driver : r->linux_driver;
}

const char *cuda_family_driver(unsigned cuda_major, enum target_os os)
{
	return driver_of(find_row(ROW_FAMILY, cuda_major, 0), os);
}

const char *cuda_toolkit_driver(struct cuda_version cuda, enum target_os os)
{
	return driver_of(find_row(ROW_TOOLKIT, cuda.major, cuda.minor), os);
}

const char *gpu_driver(struct gpu gpu, enum target_os os)
{
	return driver_of(find_row(ROW_GPU, gpu.major, gpu.minor), os);
}

bool ptx_isa_cuda(unsigned isa_major, unsigned isa_minor, struct cuda_version *out)
{
	const struct row *r = find_row(ROW_PTX, isa_major, isa_minor);

	for (size_t i = 0; !r && i < NROWS; i++) { /* the first is the oldest */
		if (rows[i].kind == ROW_PTX) {
			if (isa_major >= rows[i].major) {
				return false;
			}
			r = &rows[i];
		}
	}
	if (r) {
		*out = r->cuda;
	}
	return r != NULL;
}

enum driver_verdict driver_judge(struct str have, const char *need)
{
	struct str wanted = str_of(need);

	if (dotted_cmp(have, wanted) >= 0) {
		return DRIVER_ENOUGH;
	}
	return dotted_begins(wanted, have) ? DRIVER_UNSURE : DRIVER_TOO_OLD;
}
