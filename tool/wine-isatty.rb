#!/usr/bin/env ruby
# frozen_string_literal: true
# usage: wine-isatty.rb ucrtbase.dll
#
# CRuby finds __pioinfo, which ucrtbase.dll does not export, in the machine code of _isatty (set_pioinfo_extra() in
# win32/win32.c): the last "lea rdx, [rip+...]" before the first "add rsp, N; ret".  Wine's function does the same work
# in other instructions, and Ruby stops with "unexpected ucrtbase.dll".  This puts the expected ones in its place.
# Only for the Wine of tool/root: the user's own is never touched.
require "open3"
require "tmpdir"

ISATTY = <<~ASM
          .intel_syntax noprefix
          sub     rsp, 8
          lea     rax, MSVCRT___badioinfo[rip]
          cmp     ecx, 0x1fff             # 128 blocks of 64 descriptors
          ja      1f
          lea     rdx, MSVCRT___pioinfo[rip]
          mov     r8d, ecx
          shr     r8d, 6
          mov     rdx, [rdx + r8*8]
          test    rdx, rdx
          jz      1f
          and     ecx, 63
          lea     rax, [rcx + rcx*4]      # an ioinfo is 80 bytes
          shl     rax, 4
          add     rax, rdx
  1:      movzx   eax, byte ptr [rax + 0x38]
          and     eax, 0x40               # FDEV of wxflag
          add     rsp, 8
          ret
ASM

def run(*command, **opt)
  out, err, status = Open3.capture3(*command, **opt)
  status.success? or abort "wine-isatty: #{command.join(" ")}: #{err}"
  out
end

dll, = ARGV
ARGV.size == 1 && File.file?(dll) or abort "usage: wine-isatty.rb ucrtbase.dll"

symbols = run("nm", "--defined-only", dll).scan(/^(\h+) [TtDdBb] (\S+)$/).to_h { |addr, name| [name, addr.hex] }
start, pioinfo, badioinfo = %w[_isatty MSVCRT___pioinfo MSVCRT___badioinfo].map do |name|
  symbols[name] or abort "wine-isatty: #{dll} has no symbol #{name}: is it Debian 13's Wine?"
end
room = symbols.values.select { |addr| addr > start }.min - start
size, vma, offset = run("objdump", "-h", dll)[/ \.text +(.*)/, 1].split.values_at(0, 1, 3).map(&:hex)
(vma...vma + size).cover?(start) or abort "wine-isatty: _isatty of #{dll} is not in .text"

code = Dir.mktmpdir do |dir|
  run("as", "-o", "#{dir}/o", stdin_data: ISATTY)
  run("ld", "--oformat=binary", "-e0", "-Ttext=0x#{start.to_s(16)}", "--defsym=MSVCRT___pioinfo=#{pioinfo}",
      "--defsym=MSVCRT___badioinfo=#{badioinfo}", "-o", "#{dir}/code", "#{dir}/o")
  File.binread("#{dir}/code")
end
code.bytesize <= room or abort "wine-isatty: #{code.bytesize} bytes for a function of #{room}"

File.open(dll, "r+b") do |f|
  f.seek(start - vma + offset)
  # What the rewrite relies on; its own result is the other thing that may stand there.
  old = f.read(room)
  unless old.start_with?(code) || old.include?("\x81\xfb\xff\x1f\x00\x00".b) && old.include?("\x0f\xb6\x40\x38\x83\xe0\x40".b)
    abort "wine-isatty: _isatty of #{dll} is not the function that this script knows"
  end
  f.seek(start - vma + offset)
  f.write(code)
end
