# gpkg-bundle: one non-recursive Makefile; a new source file needs no edit here.
#   make [V=1] [CC=clang] [SAN=address,undefined | SAN=thread] [target]; `make help` lists the targets.

CC      ?= gcc
PREFIX  ?= /usr/local
DESTDIR ?=
PYTHON  ?= python3
Q       := $(if $(V),,@)

# One build folder per compiler and sanitizer, so that they never mix.
VARIANT := $(if $(filter gcc cc,$(CC)),,-$(notdir $(CC)))$(if $(SAN),-$(subst $(comma),-,$(SAN)))
comma   := ,
BUILD   := build$(subst $(comma),-,$(VARIANT))
OBJ     := $(BUILD)/obj

PKGS_VERIFY := libcjson libcrypto libsodium libarchive libzstd libxxhash zlib liblz4
PKGS_ALL    := $(PKGS_VERIFY) libcurl libxml-2.0 sqlite3 libmicrohttpd

WARN := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wwrite-strings -Wpointer-arith -Wcast-qual \
	-Wswitch-enum -Wimplicit-fallthrough
HARDEN := -fno-common -fstack-protector-strong $(if $(SAN),-fno-omit-frame-pointer,-D_FORTIFY_SOURCE=2)
OPTIM  ?= -O2 -g
CFLAGS += -std=c11 -D_GNU_SOURCE -I. $(OPTIM) $(WARN) $(HARDEN) -pthread \
	$(addprefix -isystem ,$(patsubst -I%,%,$(shell pkg-config --cflags-only-I $(PKGS_ALL) 2>/dev/null))) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
LDFLAGS += -pthread -Wl,--as-needed $(if $(SAN),-fsanitize=$(SAN))
LIBS_ALL    = $(shell pkg-config --libs $(PKGS_ALL)) -ldl -lm
LIBS_VERIFY = $(shell pkg-config --libs $(PKGS_VERIFY)) -lm

SRC_MANIFESTS := $(wildcard manifests/base/*.c manifests/*.c)
SRC_VERIFY    := $(filter-out verify/gpkg_verify.c,$(wildcard verify/*.c))
SRC_BUNDLE    := $(filter-out bundle/main.c,$(wildcard bundle/*.c))
SRC_MIRROR    := $(wildcard mirror/*.c)
SRC_LIB       := $(SRC_MANIFESTS) $(SRC_VERIFY) $(SRC_BUNDLE) $(SRC_MIRROR)
SRC_UNIT      := $(wildcard tests/unit/*.c)
SRC_TOOLS     := $(wildcard tests/tools/*.c)

objs = $(patsubst %.c,$(OBJ)/%.o,$(1))

all: $(BUILD)/gpkg-bundle $(BUILD)/gpkg-verify ## build gpkg-bundle and gpkg-verify

$(BUILD)/gpkg-bundle: $(call objs,bundle/main.c $(SRC_LIB))
	$(Q)echo "  LD   $@"; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

$(BUILD)/gpkg-verify: $(call objs,verify/gpkg_verify.c $(SRC_MANIFESTS) $(SRC_VERIFY))
	$(Q)echo "  LD   $@"; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS_VERIFY)

gpkg-verify: $(BUILD)/gpkg-verify ## the receiving desk's checker, linked from manifests and verify alone

$(BUILD)/unit: $(call objs,$(SRC_UNIT) $(SRC_LIB))
	$(Q)echo "  LD   $@"; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS_ALL) $(shell pkg-config --libs check)

$(BUILD)/%: $(OBJ)/tests/tools/%.o $(call objs,$(SRC_LIB))
	$(Q)echo "  LD   $@"; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

$(OBJ)/%.o: %.c $(BUILD)/flags
	$(Q)mkdir -p $(dir $@); echo "  CC   $<"; $(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# Changed flags rebuild everything: the stamp is rewritten only when its text differs.
$(BUILD)/flags: FORCE
	$(Q)mkdir -p $(BUILD); echo '$(CC) $(CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS)' >$@
FORCE:

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.PHONY: all gpkg-verify FORCE
.SECONDARY:
