# frozen_string_literal: true
# What str_subseq allocates and executes, base against patched.

require_relative "../helper"

class TestStrSubseq < Minitest::Test
  # Objects allocated by cutting one tail of each length off a source.
  COUNT = <<~'RUBY'
    make = {
      "unshared" => -> { "a" * 2000 },
      "embedded" => -> { "a" * 500 },
      "frozen" => -> { ("a" * 2000).freeze },
      "shared" => -> { s = "a" * 2000; s.byteslice(1000, 1000); s },
    }
    GC.disable
    make.each do |name, source|
      sizes = [*1..300, 400, 499, 500].reject { |n| name == "embedded" && n > 500 }
      counts = [1, *sizes].map do |n| # the first call fills its inline cache
        s = source.call
        from = s.bytesize - n
        s.byteslice(from, 0)
        before = GC.stat(:total_allocated_objects)
        s.byteslice(from, n)
        GC.stat(:total_allocated_objects) - before
      end
      puts [name, *sizes.zip(counts.drop(1)).chunk_while { |a, b| a[1] == b[1] }.map { |run| "#{run[0][0]}-#{run[-1][0]}:#{run[0][1]}" }].join(" ")
    end
  RUBY

  def counts(work)
    out, status = Builds.run(work, "-e", COUNT)
    assert_equal 0, status, out
    out.lines(chomp: true).to_h { |line| line.split(" ", 2) }
  end

  def test_objects
    assert_equal({ "unshared" => "1-15:1 16-500:2", "embedded" => "1-15:1 16-500:2",
                   "frozen" => "1-500:1", "shared" => "1-500:1" }, counts(Builds.base))
    assert_equal({ "unshared" => "1-135:1 136-500:2", "embedded" => "1-135:1 136-500:2",
                   "frozen" => "1-500:1", "shared" => "1-500:1" }, counts(Builds.patched))
  end

  # Instructions of 20,000 slices less those of 10,000, under callgrind.
  SLICE = <<~'RUBY'
    kind, size, count = ARGV[0], Integer(ARGV[1]), Integer(ARGV[2])
    GC.disable
    s = "a" * 2000
    s.freeze if kind == "frozen"
    s.byteslice(1000, 1000) if kind == "shared"
    from = 2000 - size
    if kind == "unshared"
      head = "a" * 1000
      i = 0
      while i < count
        (head + head).byteslice(from, size)
        i += 1
      end
    else
      i = 0
      while i < count
        s.byteslice(from, size)
        i += 1
      end
    end
  RUBY

  def instructions(work, kind, size)
    counts = [2000, 6000].map do |count|
      Dir.mktmpdir do |dir|
        out, status = run_command(Linesplit.ruby_env(work).merge("RUBY_THREAD_TIMESLICE" => "10000"),
                                  "valgrind", "--tool=callgrind", "--callgrind-out-file=#{dir}/out",
                                  Linesplit.ruby(work), "--disable=gems", "-e", SLICE, kind, size.to_s, count.to_s)
        assert_equal 0, status, out
        out[/Collected : (\d+)/, 1].to_i
      end
    end
    (counts[1] - counts[0]) / 4000.0
  end

  [%w[frozen 10], %w[frozen 100], %w[shared 100], %w[shared 1000], %w[unshared 200], %w[unshared 1000]].each do |kind, size|
    define_method("test_same_instructions_#{kind}_#{size}") do
      base, patched = [Builds.base, Builds.patched].map { |w| instructions(w, kind, size) }
      assert_in_delta 1.0, patched / base, 0.01, "#{kind} #{size}: #{base} instructions a slice, patched #{patched}"
    end
  end
end
