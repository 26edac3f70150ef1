# frozen_string_literal: true
# tool/report: what is in it, and that a browser shows it at any width.

require_relative "../helper"
require_relative "../../tool/lib/results"

class TestReport < Minitest::Test
  def setup
    @tmp = Dir.mktmpdir("report test ")
    @results = results(File.join(@tmp, "first"))
  end

  def teardown
    FileUtils.rm_rf(@tmp)
  end

  ABOUT = { "base" => "ruby 0 base", "patched" => "ruby 0 patched", "compiler" => "cc 1", "time" => "2026-01-02T03:04:05Z", "series" => "abc123",
            "machine" => { "cpu" => "CPU <1>", "cores" => 1, "os" => "OS" } }.freeze

  # One result of each kind; figures that nothing else has.
  def results(dir, version: "3.3.9", factor: 1.0)
    FileUtils.mkdir_p(dir)
    write = ->(name, data) { File.write(File.join(dir, "#{name}.json"), JSON.generate(data)) }
    jobs = { "index_1kb_lines" => 1.37, "unshared_136" => 0.81 }.transform_values { |r| { "base" => [1000.0, 990.0], "patched" => [1000.0 * r * factor, 990.0 * r * factor] } }
    write["benchmark-host-#{version}", ABOUT.merge("source" => version, "rounds" => 2, "jobs" => jobs)]
    cell = ->(ns) { { "best" => ns, "median" => ns * 1.1, "worst" => ns * 2 } }
    rows = (1..64).map { |n| { "row" => "n=#{n}", "n" => n, "cells" => { "bytes" => cell[2.0 * n], "rb_w32_memchr" => cell[3.17 * factor], "a_candidate_with_a_long_name" => nil, **(1..9).to_h { |i| ["c#{i}", cell[i]] } } } }
    write["microbench", ABOUT.reject { |k, _| %w[base patched].include?(k) }.merge("tables" => [{ "table" => "memchr, match last, aligned", "unit" => "ns a call", "rows" => rows }])]
    seconds = { "String#index(\"\\n\"), 1 KB lines" => { "base" => [0.5, 0.6], "patched" => [0.2, 0.25] } }
    write["lines-x64-mingw-ucrt-#{version}", ABOUT.merge("source" => version, "target" => "x64-mingw-ucrt", "bytes" => { seconds.keys[0] => 64 << 20 },
                                                         "seconds" => seconds.transform_values { |s| s.merge("+memchr" => s["patched"], "+str_subseq" => s["base"]) })]
    write["evidence-host-#{version}", ABOUT.merge("source" => version, "verdict" => {}, "quick" => false)]
    File.write(File.join(dir, "evidence-host-#{version}.md"), "# What\n\nText.\n\n## Verdict\n\n- Verdict: a cutoff of 160 B.\n- Timings of 160: 1 of 9 cases slower beyond noise: frozen 1 B.\n\n| cutoff | copies |\n| --- | ---: |\n| 160 | 135 B |\n")
    File.write(File.join(dir, "evidence-host-#{version}-ratio.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 480" width="800" height="480"><text x="9" y="99">picture</text></svg>')
    dir
  end

  def report(*sets, into: File.join(@tmp, "out"))
    out, status = tool("report", "-o", into, *sets)
    assert_equal 0, status, out
    %w[index.html report.md].map { |f| File.read(File.join(into, f)) }
  end

  def test_everything_is_in_it
    html, md = report(@results)
    [html, md].each do |text|
      ["index_1kb_lines", "1.37", "unshared_136: 0.81", "n=1: rb_w32_memchr 3.17, bytes 2.00 ns a call", "Verdict: a cutoff of 160 B.", "1 of 9 cases slower beyond noise",
       "2.50", "0.34", "cc 1", "ruby 0 base", "source 3.3.9", "series abc123", "10 %"].each { |part| assert_includes text.gsub("&#39;", "'"), part }
      refute_match(/n=2: rb_w32_memchr/, text)
    end
    assert_includes html, "CPU &lt;1&gt;"
    assert_match(%r{<img [^>]*src="data:image/svg\+xml;base64,}, html)
    assert_includes md, "](evidence-host-3.3.9-ratio.svg)"
    assert_path_exists File.join(@tmp, "out/evidence-host-3.3.9-ratio.svg")
  end

  # Nothing is loaded from elsewhere.
  def test_self_contained
    html, = report(@results)
    refute_match(/<script|<link|@import|url\(|https?:/, html.gsub(/base64,[^"]*/, ""))
    assert_equal ["data"], html.scan(/\b(?:src|href)="(\w+):/).flatten.uniq
  end

  def test_side_by_side
    html, md = report(@results, results(File.join(@tmp, "second"), version: "3.4.9", factor: 2.0))
    assert_includes md, "| benchmark | base (first) | base (second) | patched (first) | patched (second) | ratio (first) | ratio (second) |"
    assert_match(/\| index_1kb_lines \|.*\| 1\.37 \| 2\.74 \|/, md)
    assert_includes md, "first: unshared_136: 0.81"
    refute_includes md, "second: unshared_136"
    assert_includes md, "| make benchmark, host, CRuby 3.3.9 and 3.4.9 (first) |"
    assert_includes md, "| Lines in Ruby, x64-mingw-ucrt, CRuby 3.3.9 and 3.4.9: +memchr (second) |"
    refute_match(/:\s+\((?:first|second)\)/, html + md)
    assert_includes html, "<h3>Verdict (CRuby 3.3.9 and 3.4.9)</h3>"
    md = report(@results, results(File.join(@tmp, "other/first")))[1]
    assert_includes md, "| base (A) | base (B) |"
    assert_equal slower(md).uniq, slower(md)
    assert_equal 1, slower(md).grep(/unshared_136/).size
    assert_includes md, "- A, B: unshared_136: 0.81 (make benchmark, host, CRuby 3.3.9)"
  end

  # Rows that only the second column tells apart, and columns of the same name.
  def test_side_by_side_rows
    second = results(File.join(@tmp, "second"))
    [@results, second].zip([70, 80]) do |dir, n|
      File.write(File.join(dir, "evidence-host-3.3.9.md"), "# What\n\n## Retained\n\n| case | length | a | alone | b | alone |\n| --- | --- | --- | --- | --- | --- |\n| kept | 15 | 1 | 2 | 3 | #{n + 1} |\n| kept | 16 | 4 | 5 | 6 | #{n + 2} |\n")
    end
    md = report(@results, second)[1]
    assert_includes md, "| case | length | a (first) | a (second) | alone (first) | alone (second) |"
    assert_includes md, "| kept | 15 | 1 | 1 | 2 | 2 | 3 | 3 | 71 | 81 |\n| kept | 16 | 4 | 4 | 5 | 5 | 6 | 6 | 72 | 82 |"
  end

  # Each base next to itself, whatever else a directory has.
  def test_side_by_side_bases
    results(@results, version: "3.2.9")
    md = report(@results, results(File.join(@tmp, "second")))[1]
    assert_includes md, "**make benchmark, host, CRuby 3.3.9**"
    assert_includes md, "**make benchmark, host, CRuby 3.2.9 (first only)**"
  end

  def slower(md)
    md[/^## What was slower\n(.*?)^## /m, 1].scan(/^- .*/)
  end

  # A report among its results is not taken for one of them.
  def test_twice_in_the_same_place
    texts = Array.new(2) { report(@results, into: File.join(@results, "report")) }
    assert_equal texts[0], texts[1]
    assert_equal 1, texts[1][0].scan("<img").size
  end

  # A full run takes the place of a quick one.
  def test_quick
    File.write(File.join(@results, "microbench-quick.json"), File.read(File.join(@results, "microbench.json")).sub('"tables"', '"quick":true,"tables"').gsub("3.17", "7.77"))
    File.write(File.join(@results, "benchmark-host-3.3.9-quick.json"), File.read(File.join(@results, "benchmark-host-3.3.9.json")).gsub("1000.0", "8888.0"))
    refute_match(/7\.77|8\.89k/, report(@results)[0])
    FileUtils.rm(File.join(@results, "microbench.json"))
    assert_includes report(@results)[0], "7.77"
  end

  # The same table in two files: the newest, and its picture; but every base, and
  # every compiler.
  def test_newest
    table = JSON.parse(File.read(File.join(@results, "microbench.json")))
    copy = lambda do |name, time, ns, **more|
      rows = table["tables"][0]["rows"].map { |r| r.merge("cells" => r["cells"].merge("rb_w32_memchr" => { "best" => ns, "median" => ns, "worst" => ns })) }
      tables = table["tables"].map { |t| t.merge("rows" => rows) }
      File.write(File.join(@results, "#{name}.json"), JSON.generate(table.merge("time" => time, "tables" => tables, **more)))
    end
    svg = File.read(File.join(@results, "evidence-host-3.3.9-ratio.svg"))
    %w[microbench-ns microbench-memchr_long-ns microbench-clang-ns].each { |f| File.write(File.join(@results, "#{f}.svg"), svg) }
    copy["microbench-clang", "2026-01-01T00:00:00Z", 6.66, "compiler" => "clang"]
    copy["microbench-memchr_long", "2026-01-01T00:00:00Z", 8.88]
    html, md = report(@results)
    refute_includes html, "8.88"
    assert_includes html, "6.66"
    assert_equal 2, md.scan("**memchr, match last, aligned (host)**").size
    assert_equal 1, slower(md).grep(/3\.17/).size
    assert_equal slower(md).uniq, slower(md)
    assert_equal %w[evidence-host-3.3.9-ratio microbench-clang-ns microbench-ns], md.scan(/\]\((\S+)\.svg\)/).flatten
    copy["microbench-memchr_long", "2026-01-03T00:00:00Z", 8.88]
    html, md = report(@results)
    assert_includes html, "8.88"
    refute_match(/3\.17/, html)
    assert_equal %w[evidence-host-3.3.9-ratio microbench-clang-ns microbench-memchr_long-ns], md.scan(/\]\((\S+)\.svg\)/).flatten
    results(@results, version: "3.4.9")
    md = report(@results)[1]
    %w[3.3.9 3.4.9].each { |v| ["make benchmark, host, CRuby #{v}", "Lines in Ruby, x64-mingw-ucrt, CRuby #{v}", "Verdict (CRuby #{v})"].each { |t| assert_includes md, "**#{t}**" } }
  end

  # What a page says of itself: the page stands in a frame that is WIDTH wide,
  # since a browser's own window is at least 500.
  # Of the first table: is it as wide as what it stands in, and is each heading
  # aligned as its cells?
  SHORT = "[...document.querySelectorAll('.short')].every(t => t.offsetWidth <= t.parentElement.clientWidth), [...document.querySelectorAll('.short thead th')].every((c, i) => getComputedStyle(c).textAlign == getComputedStyle(document.querySelectorAll('.short tbody tr:first-child > *')[i]).textAlign), [...document.querySelectorAll('.wide')].every(w => w.getBoundingClientRect().right <= innerWidth && getComputedStyle(w).overflowX == 'auto')"

  def browse(html, width, scheme)
    page = html.gsub("<details>", "<details open>").sub("</html>", "<script>addEventListener('load', () => parent.postMessage([innerWidth, document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor, [...document.images].every(i => i.complete && i.naturalWidth), #{SHORT}].join(';'), '*'))</script></html>")
    File.write(File.join(@tmp, "page.html"), page)
    File.write(File.join(@tmp, "frame.html"), "<!doctype html><title>no answer</title><body style='margin:0'><script>addEventListener('message', e => document.title = e.data)</script><iframe src=page.html style='border:0' width=#{width} height=3000></iframe>")
    flags = %w[--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars]
    flags << "--blink-settings=preferredColorScheme=0" if scheme == "dark"
    Dir.mktmpdir do |profile|
      out = Linesplit.capture!("timeout", "120", "chromium", *flags, "--user-data-dir=#{profile}", "--window-size=#{[width, 500].max},900", "--virtual-time-budget=5000",
                               "--dump-dom", "file://#{File.join(@tmp, "frame.html").gsub(" ", "%20")}")
      return out[/<title>([^<]*)/, 1].split(";")
    end
  end

  def test_in_a_browser
    html, = report(@results, results(File.join(@tmp, "second"), version: "3.4.9", factor: 2.0))
    backgrounds = { 390 => "light", 1200 => "dark" }.map do |width, scheme|
      inner, scroll, background, images, short, aligned, scrolls = browse(html, width, scheme)
      assert_equal width.to_s, inner
      assert_operator scroll.to_i, :<=, width, "it has to be scrolled sideways at #{width} pixels"
      assert_equal "true", images, "a picture is not shown"
      assert_equal "true", short, "\"In short\" is cut off at #{width} pixels"
      assert_equal "true", aligned, "a heading is not aligned as its cells"
      assert_equal "true", scrolls, "what is too wide does not scroll by itself"
      background
    end
    assert_equal ["rgb(255, 255, 255)", "rgb(22, 23, 26)"], backgrounds
  end

  def test_refused
    empty = FileUtils.mkdir(File.join(@tmp, "empty"))[0]
    { [empty] => /no results in .*: run tool\/bench/, [File.join(@tmp, "none")] => /no such directory/, ["a", "b", "c"] => /two directories of results at the most/,
      ["--nonsense"] => /invalid option/ }.each do |args, message|
      out, status = tool("report", "-o", File.join(@tmp, "out"), *args)
      assert_equal 1, status, out
      assert_match(message, out)
      refute_match(/\.rb:\d+:in|tool\/report:\d+/, out, "a backtrace")
    end
    FileUtils.rm(Dir.glob("#{@results}/*.md"))
    assert_match(/evidence-host-3\.3\.9\.md is missing/, tool("report", "-o", File.join(@tmp, "out"), @results)[0])
    refute_path_exists File.join(@tmp, "out/index.html")
  end
end
