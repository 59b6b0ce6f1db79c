# gpkg-bundle: one non-recursive Makefile; a new source file needs no edit here.
#   make [V=1] [CC=clang] [SAN=address,undefined | SAN=thread] [TARGET]...; `make help` lists the targets.

ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
DESTDIR ?=
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
DOCDIR  ?= $(PREFIX)/share/doc/gpkg-bundle
Q       := $(if $(V),,@)

# One build folder per compiler and sanitizer, so that they never mix: build/, build/clang/,
# build/clang-address-undefined/ ...
comma   := ,
empty   :=
VARIANT := $(filter-out gcc cc,$(notdir $(CC))) $(if $(SAN),$(subst $(comma),-,$(SAN)))
VARIANT := $(subst $(empty) $(empty),-,$(strip $(VARIANT)))
BUILD   := build$(if $(VARIANT),/$(VARIANT))
OBJ     := $(BUILD)/obj

# ---- flags ----

PKGS_VERIFY := jansson libcrypto libsodium libarchive libxxhash zlib libzstd liblz4
PKGS_ALL    := $(PKGS_VERIFY) libcurl libxml-2.0 sqlite3 libmicrohttpd
pkg          = $(shell pkg-config $(1) 2>/dev/null)

WARN := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wwrite-strings -Wpointer-arith -Wcast-qual \
	-Wswitch-enum -Wimplicit-fallthrough
HARDEN := -fno-common -fstack-protector-strong \
	$(if $(SAN),-fno-omit-frame-pointer,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)

CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -pthread \
	$(patsubst -I%,-isystem %,$(call pkg,--cflags-only-I $(PKGS_ALL))) \
	-include manifests/base/banned.h
ALL_LDFLAGS := -pthread -Wl,--as-needed -Wl,-z,relro,-z,now $(LDFLAGS) $(SANITIZE)
LIBS_ALL    := $(call pkg,--libs $(PKGS_ALL)) -ldl -lm
LIBS_VERIFY := $(call pkg,--libs $(PKGS_VERIFY)) -lm
LIBS_CHECK  := $(call pkg,--libs check)

# ---- files ----

SRC_MANIFESTS := $(wildcard manifests/base/*.c manifests/*.c)
SRC_VERIFY    := $(filter-out verify/gpkg_verify.c,$(wildcard verify/*.c))
SRC_BUNDLE    := $(filter-out bundle/main.c,$(wildcard bundle/*.c))
SRC_MIRROR    := $(wildcard mirror/*.c)
SRC_LIB       := $(SRC_MANIFESTS) $(SRC_VERIFY) $(SRC_BUNDLE) $(SRC_MIRROR)
SRC_UNIT      := $(wildcard tests/unit/*.c)
SRC_TOOLS     := $(wildcard tests/tools/*.c)
FUZZ          := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

objs = $(patsubst %.c,$(OBJ)/%.o,$(1))
link = $(Q)echo "  LD   $@"; $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^)

# ---- what is built ----

all: $(BUILD)/gpkg-bundle $(BUILD)/gpkg-verify ## build gpkg-bundle and gpkg-verify

gpkg-verify: $(BUILD)/gpkg-verify ## build the small checker, from manifests and verify alone

unit: $(BUILD)/unit ## build the unit tests; build/unit NAME runs those of that name

tools: $(SRC_TOOLS:tests/tools/%.c=$(BUILD)/%) ## build the programs that tests ask (tests/tools)

replay: $(FUZZ:%=$(BUILD)/replay_%) ## build the fuzz targets with a main that replays files

fuzzers: $(FUZZ:%=$(BUILD)/fuzz_%) ## build the fuzz targets with libFuzzer (CC=clang SAN=fuzzer-no-link,...)

$(BUILD)/gpkg-bundle: $(call objs,bundle/main.c $(SRC_LIB))
	$(link) $(LIBS_ALL)

# Static, so that it runs on any machine of the receiving desk, and from an archive, so that only what it
# calls is in it. (glibc warns of name look-ups inside libcrypto, which it never makes.)
$(BUILD)/gpkg-verify: $(OBJ)/verify/gpkg_verify.o $(BUILD)/verify.a
	$(Q)echo "  LD   $@"; $(CC) $(ALL_LDFLAGS) $(if $(SAN),,-static -Wl,--no-warnings) -o $@ $^ $(LIBS_VERIFY)

$(BUILD)/verify.a: $(call objs,$(SRC_MANIFESTS) $(SRC_VERIFY))
	$(Q)rm -f $@; $(AR) rcs $@ $^

$(BUILD)/unit: $(call objs,$(SRC_UNIT) $(SRC_LIB))
	$(link) $(LIBS_ALL) $(LIBS_CHECK)

$(BUILD)/replay_%: $(OBJ)/tests/fuzz/fuzz_%.o $(call objs,tests/fuzz/replay.c $(SRC_LIB))
	$(link) $(LIBS_ALL)

$(BUILD)/fuzz_%: $(OBJ)/tests/fuzz/fuzz_%.o $(call objs,$(SRC_LIB))
	$(link) -fsanitize=fuzzer $(LIBS_ALL)

$(BUILD)/%: $(OBJ)/tests/tools/%.o $(call objs,$(SRC_LIB))
	$(link) $(LIBS_ALL)

$(OBJ)/%.o: %.c $(BUILD)/flags
	$(Q)mkdir -p $(@D); echo "  CC   $<"; $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Changed flags rebuild everything: the stamp is rewritten only when its text differs.
$(BUILD)/flags: FORCE
	$(Q)command -v $(CC) >/dev/null && pkg-config --exists $(PKGS_ALL) check || \
		{ echo "a compiler or a library is missing; this installs them: make deps" >&2; exit 1; }
	$(Q)mkdir -p $(@D); echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' >$@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# ---- what is run; these build what they need after `deps`, which may install the compiler ----

deps: ## install what building and testing needs (apt-get, as root or by sudo; a venv in build/tools)
	$(Q)tests/deps.sh

check: deps ## run every test; the last line is "N passed, N failed" (PARTS="unit man": only those)
	$(Q)tests/run.sh $(PARTS)

demo: deps ## the main job on real packages, end to end
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/demo/demo.sh

bench: deps ## measure against tar, cp, openssl, nginx and uv; prints ratios
	$(Q)tests/deps.sh bench
	$(Q)$(MAKE) --no-print-directory all tools
	$(Q)for script in tests/bench/*.sh; do echo "== $$script"; "$$script" || exit 1; done

WHEELS ?= build/wheels
check-wheels: deps ## compare real wheels (3 GB, fetched into WHEELS) with auditwheel, abi3audit, readelf, cuobjdump
	$(Q)$(MAKE) --no-print-directory all tools
	$(Q)build/tools/bin/python tests/e2e/real_wheels.py $(BUILD) $(WHEELS) --fetch
	$(Q)build/tools/bin/python tests/e2e/cuobjdump_differential.py $(BUILD)/device_show $(WHEELS) --fetch
	$(Q)build/tools/bin/python tests/e2e/readelf_differential.py $(BUILD)/elf_show $(WHEELS)/*.whl $(WHEELS)/many/*.whl

# Valgrind cannot follow a child into namespaces and limits of its own: the sanitizers see those tests.
valgrind: deps ## run the unit tests under valgrind
	$(Q)$(MAKE) --no-print-directory unit
	$(Q)valgrind -q --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 \
		$(BUILD)/unit -child_obeys_limits_of_files

FUZZ_SECONDS ?= 60
fuzz: deps ## fuzz each parser of foreign bytes for FUZZ_SECONDS (FUZZ="toml zip": only those)
	$(Q)$(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined BUILD=build/fuzz fuzzers
	$(Q)tests/fuzz/fuzz.sh build/fuzz $(FUZZ_SECONDS) $(FUZZ)

check-layers: ## check the include law, the owners of libraries and the other laws of the tree
	$(Q)tests/meta/check_layers.sh

check-headers: $(BUILD)/flags ## check that every header compiles alone
	$(Q)tests/meta/check_headers.sh $(BUILD)/flags

sources = $(shell find manifests verify bundle mirror tests -name '*.[ch]')
format: ## format all C files with clang-format
	$(Q)clang-format -i $(sources)

format-check: ## say which C files clang-format would change
	$(Q)clang-format --dry-run -Werror $(sources)

install: all ## install programs, manual pages and documents (PREFIX, DESTDIR)
	$(Q)install -d $(addprefix $(DESTDIR),$(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5 $(DOCDIR))
	$(Q)install -m 755 $(BUILD)/gpkg-bundle $(BUILD)/gpkg-verify $(DESTDIR)$(BINDIR)
	$(Q)install -m 644 man/*.1 $(DESTDIR)$(MANDIR)/man1
	$(Q)install -m 644 man/*.5 $(DESTDIR)$(MANDIR)/man5
	$(Q)install -m 644 README.md LICENSE CHANGELOG.md $(DESTDIR)$(DOCDIR)

clean: ## remove everything built; build/tools and build/wheels stay
	$(Q)find build -mindepth 1 -maxdepth 1 ! -name tools ! -name wheels -exec rm -rf {} + 2>/dev/null || true

help: ## list the targets
	$(Q)sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1	\2/p' Makefile | expand -t 18

.PHONY: all gpkg-verify unit tools replay fuzzers deps check demo bench check-wheels valgrind fuzz check-layers \
	check-headers format format-check install clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:
