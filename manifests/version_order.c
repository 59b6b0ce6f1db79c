/* The order of PEP 440 versions ("Summary of permitted suffixes and relative ordering"). */
#include "manifests/version.h"

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Missing components are zeros: 1.0 equals 1.0.0. */
static int cmp_release(const struct version *a, const struct version *b)
{
	size_t n = a->nrelease > b->nrelease ? a->nrelease : b->nrelease;

	for (size_t i = 0; i < n; i++) {
		int order = cmp_u64(
			i < a->nrelease ? a->release[i] : 0, i < b->nrelease ? b->release[i] : 0);

		if (order) {
			return order;
		}
	}
	return 0;
}

/* 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 and 1.0.post1. */
static int pre_rank(const struct version *v)
{
	if (v->pre) {
		return (int)v->pre;
	}
	return v->has_dev && !v->has_post ? 0 : VERSION_RC + 1;
}

static int cmp_suffix(const struct version *a, const struct version *b)
{
	int order = pre_rank(a) - pre_rank(b);

	if (!order) {
		order = cmp_u64(a->pre_number, b->pre_number);
	}
	if (!order) {
		order = a->has_post - b->has_post;
	}
	if (!order) {
		order = cmp_u64(a->post, b->post);
	}
	if (!order) {
		order = b->has_dev - a->has_dev;
	}
	return order ? order : cmp_u64(a->dev, b->dev);
}

/* A number is above every text. */
static int cmp_segment(const struct version_local *a, const struct version_local *b)
{
	if (a->text.n && b->text.n) {
		return str_cmp(a->text, b->text);
	}
	if (a->text.n || b->text.n) {
		return a->text.n ? -1 : 1;
	}
	return cmp_u64(a->number, b->number);
}

static int cmp_local(const struct version *a, const struct version *b)
{
	for (size_t i = 0; i < a->nlocal && i < b->nlocal; i++) {
		int order = cmp_segment(&a->local[i], &b->local[i]);

		if (order) {
			return order;
		}
	}
	return (a->nlocal > b->nlocal) - (a->nlocal < b->nlocal);
}

int version_cmp_public(const struct version *a, const struct version *b)
{
	int order = cmp_u64(a->epoch, b->epoch);

	if (!order) {
		order = cmp_release(a, b);
	}
	return order ? order : cmp_suffix(a, b);
}

int version_cmp(const struct version *a, const struct version *b)
{
	int order = version_cmp_public(a, b);

	return order ? order : cmp_local(a, b);
}

bool version_is_prerelease(const struct version *v)
{
	return v->pre || v->has_dev;
}
