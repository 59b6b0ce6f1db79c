#include "verify/device_need.h"

#include "manifests/cuda_driver.h"

struct device_code device_code_used(const struct audit_wheel *w, struct audit *a)
{
	const struct device_code *all = &w->native->device;
	struct device_code d = { .v = arena_array(&a->arena, all->n ? all->n : 1, sizeof(*d.v)) };

	for (size_t i = 0; i < all->n; i++) {
		const struct native_module *m = module_of_member(w->native, all->v[i].member);
		int part = m ? a->parts[m - w->native->modules] : MODULE_USED;

		if (part == MODULE_USED || part == MODULE_OBJECT) {
			d.v[d.n++] = all->v[i];
		}
	}
	return d;
}

bool device_ptx_cuda(const struct device_code *d, struct gpu gpu, struct cuda_version *out)
{
	struct cuda_version oldest = { 0, 0 };

	for (size_t i = 0; i < d->n; i++) {
		struct device_code one = { .v = &d->v[i], .n = 1 };
		struct cuda_version cuda;
		bool by_ptx = false;

		if (d->v[i].kind != DEVICE_PTX || !device_code_covers(&one, gpu, &by_ptx) ||
			!ptx_isa_cuda(d->v[i].isa_major, d->v[i].isa_minor, &cuda)) {
			continue;
		}
		if (!oldest.major || cuda.major < oldest.major ||
			(cuda.major == oldest.major && cuda.minor < oldest.minor)) {
			oldest = cuda;
		}
	}
	if (oldest.major) {
		*out = oldest;
	}
	return oldest.major != 0;
}
