/* What the parts of a marker are called, and markers as text. */
#include "manifests/marker_node.h"

static const char *const var_names[MARKER_VARS] = {
	[MARKER_OS_NAME] = "os_name",
	[MARKER_SYS_PLATFORM] = "sys_platform",
	[MARKER_PLATFORM_MACHINE] = "platform_machine",
	[MARKER_PLATFORM_PYTHON_IMPLEMENTATION] = "platform_python_implementation",
	[MARKER_PLATFORM_RELEASE] = "platform_release",
	[MARKER_PLATFORM_SYSTEM] = "platform_system",
	[MARKER_PLATFORM_VERSION] = "platform_version",
	[MARKER_PYTHON_VERSION] = "python_version",
	[MARKER_PYTHON_FULL_VERSION] = "python_full_version",
	[MARKER_IMPLEMENTATION_NAME] = "implementation_name",
	[MARKER_IMPLEMENTATION_VERSION] = "implementation_version",
	[MARKER_EXTRA] = "extra",
	[MARKER_EXTRAS] = "extras",
	[MARKER_DEPENDENCY_GROUPS] = "dependency_groups",
};

const char *marker_var_name(enum marker_var var)
{
	return var_names[var];
}

const char *marker_op_text(enum marker_op op)
{
	static const char *const texts[] = {
		[MARKER_LT] = "<",
		[MARKER_LE] = "<=",
		[MARKER_EQ] = "==",
		[MARKER_NE] = "!=",
		[MARKER_GE] = ">=",
		[MARKER_GT] = ">",
		[MARKER_COMPATIBLE] = "~=",
		[MARKER_ARBITRARY] = "===",
		[MARKER_IN] = "in",
		[MARKER_NOT_IN] = "not in",
	};

	return texts[op];
}

bool marker_var_is_version(enum marker_var var)
{
	return var == MARKER_PYTHON_VERSION || var == MARKER_PYTHON_FULL_VERSION ||
	       var == MARKER_IMPLEMENTATION_VERSION || var == MARKER_PLATFORM_RELEASE;
}

bool marker_var_is_set(enum marker_var var)
{
	return var == MARKER_EXTRAS || var == MARKER_DEPENDENCY_GROUPS;
}

bool marker_names(const struct marker *m, enum marker_var var)
{
	if (!m) {
		return false;
	}
	if (!m->first) {
		return (m->left.is_var && m->left.var == var) ||
		       (m->right.is_var && m->right.var == var);
	}
	for (const struct marker *member = m->first; member; member = member->next) {
		if (marker_names(member, var)) {
			return true;
		}
	}
	return false;
}

static void format_side(const struct marker_side *side, struct buf *out)
{
	char quote = str_find(side->text, '"') < side->text.n ? '\'' : '"';

	if (side->is_var) {
		buf_addstr(out, side->text);
		return;
	}
	buf_addc(out, quote);
	buf_addstr(out, side->text);
	buf_addc(out, quote);
}

static void format_node(const struct marker *m, bool is_outer, struct buf *out)
{
	if (!m->first) {
		format_side(&m->left, out);
		buf_addf(out, " %s ", marker_op_text(m->op));
		format_side(&m->right, out);
		return;
	}
	if (!m->first->next) { /* parentheses around one member say nothing */
		format_node(m->first, is_outer, out);
		return;
	}
	buf_adds(out, is_outer ? "" : "(");
	for (const struct marker *member = m->first; member; member = member->next) {
		if (member != m->first) {
			buf_adds(out, member->is_or ? " or " : " and ");
		}
		format_node(member, false, out);
	}
	buf_adds(out, is_outer ? "" : ")");
}

void marker_format(const struct marker *m, struct buf *out)
{
	if (m) {
		format_node(m, true, out);
	}
}
