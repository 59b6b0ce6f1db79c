/* Does a wheel hold code for every GPU of a target? */
#include "verify/device_code.h"

static void missing_format(const struct device_code *d, const struct target *t, struct buf *out)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		bool by_ptx;

		if (!device_code_covers(d, t->gpus[i], &by_ptx)) {
			buf_addf(out, "%ssm_%u%u", out->n ? ", " : "", t->gpus[i].major,
				t->gpus[i].minor);
		}
	}
}

int check_device_code(
	const struct device_code *d, const struct target *t, struct str file, struct err *e)
{
	CLEANUP_BUF struct buf missing = BUF_INIT, has = BUF_INIT;

	missing_format(d, t, &missing);
	if (missing.n == 0) {
		return 0;
	}
	device_code_format(d, &has);
	if (has.n == 0) {
		buf_adds(&has, "no device code at all");
	}
	if (d->nunreadable) {
		buf_addf(&has, " and %zu containers that could not be read", d->nunreadable);
	}
	err_set(e, RC_NO_DEVICE_CODE, "%.*s: has %s; target %.*s needs %s", STR_ARG(file), has.p,
		STR_ARG(t->name), missing.p);
	return err_hint(e,
		"%s; take a build that names %s, or let the site build it from its sdist",
		d->n ? "its first kernel would fail there with \"no kernel image is available for "
		       "execution "
		       "on the device\""
		     : "it would install and then run without the GPU, or fail at import",
		missing.p);
}
