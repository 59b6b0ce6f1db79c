#include "bundle/resolution_args.h"
#include "manifests/name.h"

static struct str *texts(struct arena *a, const struct opt_list *list)
{
	struct str *out = arena_array(a, list->n, sizeof(*out));

	for (size_t i = 0; i < list->n; i++) {
		out[i] = str_of(list->v[i]);
	}
	return out;
}

static struct str *names(struct arena *a, const struct opt_list *list)
{
	struct str *out = texts(a, list);

	for (size_t i = 0; i < list->n; i++) {
		out[i] = str_of(name_normalize(a, out[i]));
	}
	return out;
}

void resolution_args_take(const struct resolution_args *a, const char *path, struct arena *arena,
	struct resolution_options *out)
{
	struct target_spec *extra = arena_alloc(arena, sizeof(*extra));

	*extra = (struct target_spec){ .name = str_of(a->name),
		.glibc = str_of(a->glibc),
		.driver = str_of(a->driver),
		.gpus = texts(arena, &a->gpus),
		.ngpus = a->gpus.n,
		.cxx11_abi = -1 };
	*out = (struct resolution_options){
		.lock = path,
		.reading = { .extra = extra,
			.stack = str_of(a->stack),
			.targets_file = a->targets_file,
			.extras = names(arena, &a->extras),
			.nextras = a->extras.n,
			.groups = names(arena, &a->groups),
			.ngroups = a->groups.n,
			.no_default_groups = a->no_default_groups,
			.projects = names(arena, &a->projects),
			.nprojects = a->projects.n,
			.all_projects = a->all_projects },
		.waivers = a->waivers.v,
		.nwaivers = a->waivers.n,
		.cache = a->cache,
		.registry = a->registry,
		.jobs = (unsigned)a->jobs.value,
		.resolve = { .targets = texts(arena, &a->targets),
			.ntargets = a->targets.n,
			.trust_first_use = a->trust_first_use },
	};
}

void resolution_args_release(struct resolution_args *a)
{
	vec_release(&a->targets);
	vec_release(&a->waivers);
	vec_release(&a->extras);
	vec_release(&a->groups);
	vec_release(&a->projects);
	vec_release(&a->gpus);
}
