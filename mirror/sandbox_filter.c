#include "mirror/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SYSCALL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SYSCALL_ARCH AUDIT_ARCH_AARCH64
#else
#error "say here which AUDIT_ARCH this machine has"
#endif

#define X32_BIT                                                                          \
	0x40000000u /* x86_64's second convention, with other numbers for the same calls \
		     */

/* Both machines are little-endian: the low word of a 64-bit argument comes first. */
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define AT_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(number) ANSWER(SECCOMP_RET_ERRNO | (number))

int sandbox_filter_sockets(bool has_network_namespace, const char **what)
{
	/* Where the network namespace cuts the rest, IP sockets may be made: they reach nobody. The
	 * filter stays for AF_VSOCK, which older kernels do not divide by namespace. */
	unsigned inet = has_network_namespace ? AF_INET : AF_UNIX;
	unsigned inet6 = has_network_namespace ? AF_INET6 : AF_UNIX;
	unsigned netlink = has_network_namespace ? AF_NETLINK : AF_UNIX;
	struct sock_filter code[] = {
		LOAD(arch),
		EQUAL(SYSCALL_ARCH, 1, 0),
		REFUSE(ENOSYS),
		LOAD(nr),
		AT_LEAST(X32_BIT, 0, 1),
		REFUSE(ENOSYS),
		EQUAL(SYS_io_uring_setup, 0, 1),
		REFUSE(ENOSYS),
		EQUAL(SYS_socket, 1, 0),
		ANSWER(SECCOMP_RET_ALLOW),
		LOAD(args[0]),
		EQUAL(AF_UNIX, 4, 0),
		EQUAL(inet, 3, 0),
		EQUAL(inet6, 2, 0),
		EQUAL(netlink, 1, 0),
		REFUSE(EACCES),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	*what = "seccomp";
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int sandbox_drop_privileges(const char **what)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	*what = "drop capabilities";
	/* The bounding set first: without it an exec by user 0 brings all of them back. A number
	 * the kernel does not know (EINVAL) ends the list. */
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0)) {
			return -1;
		}
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, none)) {
		return -1;
	}
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
