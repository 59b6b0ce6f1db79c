#include "mirror/metrics.h"

void metrics_count(struct metrics *m, unsigned status, uint64_t bytes)
{
	atomic_fetch_add_explicit(&m->body_bytes, bytes, memory_order_relaxed);
	for (size_t i = 0; i < METRICS_STATUSES; i++) {
		unsigned found = atomic_load_explicit(&m->requests[i].status, memory_order_relaxed);

		if (found == 0 &&
			atomic_compare_exchange_strong(&m->requests[i].status, &found, status)) {
			found = status;
		}
		if (found == status) {
			atomic_fetch_add_explicit(&m->requests[i].count, 1, memory_order_relaxed);
			return;
		}
	}
}

static void add(
	struct buf *out, const char *name, const char *kind, const char *help, uint64_t value)
{
	buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, kind, name,
		(unsigned long long)value);
}

static size_t count_files(const struct store_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->ntargets; i++) {
		n += v->targets[i].nfiles;
	}
	return n;
}

void metrics_text(struct metrics *m, const struct store_view *v, struct buf *out)
{
	buf_adds(out, "# HELP gpkg_bundle_requests_total Requests answered, by status.\n"
		      "# TYPE gpkg_bundle_requests_total counter\n");
	for (size_t i = 0; i < METRICS_STATUSES; i++) {
		unsigned status = atomic_load(&m->requests[i].status);

		if (status) {
			buf_addf(out, "gpkg_bundle_requests_total{code=\"%u\"} %llu\n", status,
				(unsigned long long)atomic_load(&m->requests[i].count));
		}
	}
	add(out, "gpkg_bundle_body_bytes_total", "counter", "Bytes of bodies announced.",
		atomic_load(&m->body_bytes));
	add(out, "gpkg_bundle_connections", "gauge", "Connections open now.",
		atomic_load(&m->connections));
	add(out, "gpkg_bundle_slow_connections_total", "counter",
		"Connections closed for being too slow.", atomic_load(&m->cut_connections));
	add(out, "gpkg_bundle_reloads_total", "counter", "Catalogues loaded.",
		atomic_load(&m->reloads));
	add(out, "gpkg_bundle_reload_failures_total", "counter",
		"Catalogues that could not be loaded.", atomic_load(&m->failed_reloads));
	add(out, "gpkg_bundle_generation", "gauge", "Generation of the catalogue in force.",
		v->generation);
	add(out, "gpkg_bundle_targets", "gauge", "Targets served.", v->ntargets);
	add(out, "gpkg_bundle_target_files", "gauge", "Files of all targets.", count_files(v));
}
