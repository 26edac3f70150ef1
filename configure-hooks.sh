#!/bin/sh
# Configures a CRuby tree for a target, in the current (build) directory.
# License: Ruby's

usage() {
    cat <<'USAGE'
usage: configure-hooks.sh [--target host|x64-mingw-ucrt] [--srcdir DIR]
                          [--print] [-- CONFIGURE-ARGUMENTS]

Run it in an empty directory beside the source tree, as one would run
configure.  DIR (default ../src, else ..) is the CRuby tree; keep it relative
so that two trees compile with the same command lines.

hooks, in this order:
  autogen     no DIR/configure (git checkouts): runs DIR/autogen.sh, which
              needs autoconf; the build then needs bison (3.3) and gperf too
  baseruby    BASERUBY, default: ruby on PATH, becomes --with-baseruby
  compiler    CC, default gcc; with ccache on PATH, "ccache CC", and the
              compile lines keep no absolute path, so that the patched tree
              reuses what the base tree compiled
  toolchain   --target x64-mingw-ucrt: names every tool of the
              x86_64-w64-mingw32ucrt toolchain, which --host alone misses;
              without debugging information
  jit         --disable-yjit, and --disable-zjit where configure knows it: a
              Rust compiler on PATH must not change what is measured
  extensions  without those that no test or benchmark here uses; for
              x64-mingw-ucrt only those that one uses

  --print     prints the configure command line and stops
  -- ...      is appended to it

environment: CC CFLAGS BASERUBY CCACHE_DIR
USAGE
}

die() {
    echo "configure-hooks.sh: $*" >&2
    exit 1
}

target=host srcdir= print=
while [ $# -gt 0 ]; do
    case $1 in
      --target) target=$2; shift ;;
      --target=*) target=${1#*=} ;;
      --srcdir) srcdir=$2; shift ;;
      --srcdir=*) srcdir=${1#*=} ;;
      --print) print=: ;;
      --help|-h) usage; exit 0 ;;
      --) shift; break ;;
      *) usage >&2; die "unknown argument: $1" ;;
    esac
    [ $# -gt 0 ] || die "an argument is missing; see --help"
    shift
done

if [ -z "$srcdir" ]; then
    if [ -f ../src/string.c ]; then srcdir=../src; else srcdir=..; fi
fi
[ -f "$srcdir/string.c" ] && [ -f "$srcdir/template/Makefile.in" ] ||
    die "$srcdir is no CRuby source tree (no string.c, template/Makefile.in)"

# autogen
if [ ! -f "$srcdir/configure" ] && [ -z "$print" ]; then
    command -v autoconf >/dev/null || die "$srcdir has no configure, and autoconf is not installed"
    (cd "$srcdir" && ./autogen.sh) || die "autogen.sh failed in $srcdir"
fi

# MSYS2's UCRT64 shell is the target.
[ "$target-${MSYSTEM-}" != x64-mingw-ucrt-UCRT64 ] || target=host

# baseruby
: "${BASERUBY:=ruby}"
baseruby=$(command -v "$BASERUBY") || die "BASERUBY=$BASERUBY is not an executable"
set -- "--with-baseruby=$baseruby" "$@"

# compiler
ccache=
if command -v ccache >/dev/null; then ccache='ccache '; fi

case $target in
  host)
    set -- "CC=$ccache${CC:-gcc}" "$@"
    ;;
  x64-mingw-ucrt)
    # --host=x86_64-w64-mingw32ucrt would make the arch x64-mingw32ucrt, so the
    # host is the plain one and every tool is named.  Debugging information would
    # be most of what is compiled, archived and linked; nothing here reads it.
    t=x86_64-w64-mingw32ucrt
    command -v $t-gcc >/dev/null || die "no $t-gcc: it is in Debian 13 and later (tool/root has it)"
    set -- --build="$(gcc -dumpmachine)" --host=x86_64-w64-mingw32 --enable-shared \
        "CC=$ccache$t-gcc" "CXX=$ccache$t-g++" "CPP=$t-gcc -E" AR=$t-gcc-ar RANLIB=$t-gcc-ranlib \
        NM=$t-gcc-nm LD=$t-ld AS=$t-as OBJCOPY=$t-objcopy OBJDUMP=$t-objdump STRIP=$t-strip \
        WINDRES=$t-windres DLLWRAP=$t-dllwrap debugflags=-g0 "$@"
    ;;
  *)
    die "unknown target: $target (host, x64-mingw-ucrt)"
    ;;
esac

# jit
set -- --disable-yjit "$@"
if grep -qs -e --enable-zjit "$srcdir/configure.ac"; then
    set -- --disable-zjit "$@"
fi

# extensions
case $target in
  host)
    set -- --with-out-ext=dbm,gdbm,nkf,readline,syslog "$@"
    ;;
  x64-mingw-ucrt)
    # Each of them costs seconds of configuring, linking conftest.exe by conftest.exe.
    set -- --with-ext=-test-/asan,-test-/file,-test-/memory_status,-test-/printf,-test-/regexp,-test-/string,\
-test-/win32/\*,bigdecimal,date,digest,digest/md5,digest/sha2,erb/escape,etc,fcntl,fiddle,io/\*,json,json/\*,\
monitor,objspace,pathname,psych,rbconfig/sizeof,ripper,socket,stringio,strscan,win32,zlib "$@"
    ;;
esac
set -- --disable-install-doc "$@"

if [ "$print" ]; then
    separator=
    for word in "$srcdir/configure" "$@"; do
        printf "%s'%s'" "$separator" "$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")"
        separator=' '
    done
    echo
    exit 0
fi
exec "$srcdir/configure" "$@"
