# frozen_string_literal: true
# Instructions that one slice of each kind takes, counted by callgrind.

require_relative "variants"

module Linesplit
  module_function

  # { "frozen 100" => instructions a slice, ... }, or nil where valgrind found no
  # mark (a Ruby without symbols).
  def instructions(variant)
    Dir.mktmpdir do |dir|
      valgrind = ["valgrind", "--tool=callgrind", "--dump-before=proc_getpgrp", "--callgrind-out-file=#{dir}/out"]
      # no timer thread may come in between, and malloc must hand out what was freed
      # before the counted slices, not look for a place: what that takes depends on
      # all that was ever allocated
      env = { "RUBY_THREAD_TIMESLICE" => "100000", "GLIBC_TUNABLES" => "glibc.malloc.tcache_count=65535" }
      result = measured(variant, "kinds.rb", prefix: valgrind, env: env)
      parts = Dir.glob("#{dir}/out.*").sort_by { |f| f[/\d+\z/].to_i }
                 .map { |f| File.foreach(f).grep(/^(?:summary|totals): /).last[/\d+/].to_i }
      # one before each mark, and one at the end
      parts = parts.first(2 * result["rows"].size)
      return if parts.size < 2 * result["rows"].size

      result["rows"].each_with_index.to_h do |row, i|
        ["#{row["kind"]} #{row["length"]}", parts[2 * i + 1] / result["count"].to_f]
      end
    end
  end
end
