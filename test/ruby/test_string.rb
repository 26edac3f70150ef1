# frozen_string_literal: false
# What the series adds to CRuby's test/ruby/test_string.rb, where it runs.
require 'test/unit'

class TestString < Test::Unit::TestCase
  def test_byteindex_one_byte
    # a one-byte needle from every start, at every distance, with a decoy
    # before the start and others after the match
    filler = "\x00a\xff".b
    (0..40).each do |start|
      (0..70).each do |distance|
        haystack = filler[distance % 3] * (start + distance)
        source = "z" << haystack << "zz"
        source.force_encoding(Encoding::BINARY)
        assert_equal(start + distance + 1, source.byteindex("z", start + 1))
        assert_equal(start + distance + 1, source.index("z", start + 1))
        assert_nil(haystack.byteindex("z", start))
      end
    end
  end

  def test_index_every_byte
    256.times do |byte|
      needle = byte.chr
      other = ((byte + 1) & 0xff).chr * 37
      assert_equal(37, (other + needle + other).index(needle), "%#04x" % byte)
      assert_nil(other.index(needle), "%#04x" % byte)
      # bytes that differ in the highest or in the lowest bit are others
      near = (byte ^ 0x80).chr * 20 + (byte ^ 1).chr * 20
      assert_nil(near.index(needle), "%#04x" % byte)
    end
  end

  def test_index_one_byte_in_character
    s = "\x81\x41\x82\x60\x41".force_encoding(Encoding::Windows_31J)
    assert_equal(2, s.index("A"))
    assert_equal(4, s.byteindex("A"))
    # every match but the last is the second byte of a character
    s = ("\x81\x41" * 50).force_encoding(Encoding::Windows_31J)
    assert_nil(s.index("A"))
    assert_equal(50, (s << "A").index("A"))
  end

  def test_each_line_one_byte_rs
    [1, 2, 15, 16, 17, 31, 32, 33, 1024].each do |size|
      line = "a" * (size - 1) << "\n"
      assert_equal([line] * 20, (line * 20).each_line.to_a)
      assert_equal([line] * 20 << "b", (line * 20 << "b").each_line.to_a)
      assert_equal([line.tr("\n", "\xff".b)] * 3, (line.tr("\n", "\xff".b) * 3).each_line("\xff".b).to_a)
    end
  end

  def test_tail_embed_limit
    require 'objspace'
    require 'rbconfig/sizeof'
    omit("the limit is for 64-bit slots") unless RbConfig::SIZEOF["void*"] == 8

    # the longest tail, without its terminator, that a 160 byte slot holds
    {"UTF-8" => [135, 1], "UTF-16LE" => [134, 2], "UTF-32LE" => [132, 4]}.each do |enc, (limit, width)|
      [1, limit / width - 1, limit / width].each do |chars|
        tail = assert_tail(chars * width, enc) {|s| s}
        assert_include(ObjectSpace.dump(tail), '"embedded":true', "#{enc} #{chars}")
      end
      tail = assert_tail(limit + width, enc) {|s| s}
      assert_include(ObjectSpace.dump(tail), '"shared":true', enc)
    end
  end

  def test_tail_of_shared_root
    require 'objspace'
    require 'rbconfig/sizeof'
    omit("the limit is for 64-bit slots") unless RbConfig::SIZEOF["void*"] == 8

    # sharing one of these allocates nothing but the tail
    sources = {
      frozen: proc {|s| s.freeze},
      shared: proc {|s| s.byteslice(1000, 1000); s},
    }
    sources.each do |name, make|
      tail = assert_tail(15, "UTF-8", &make)
      assert_include(ObjectSpace.dump(tail), '"embedded":true', name)
      [16, 100, 135, 136, 1000].each do |size|
        tail = assert_tail(size, "UTF-8", &make)
        assert_include(ObjectSpace.dump(tail), '"shared":true', name)
      end
    end
  end

  def test_tail_of_chilled_literal
    source = eval("'#{"c" * 400}'")
    tail = source[300..-1]
    long = source[100..-1]
    EnvUtil.suppress_warning {source.replace("gone")}
    assert_equal(["c" * 100, "c" * 300], [tail, long])
  end

  def test_tail_is_independent
    [1, 15, 16, 23, 24, 55, 56, 103, 104, 135, 136, 231, 232, 639, 640, 1000].each do |size|
      source = S("b" * 1000 + "a" * size)
      tail = source.byteslice(1000, size)
      tail << "c"
      source.setbyte(1000, 0x64)
      assert_equal("a" * size + "c", tail)
      assert_equal("b" * 1000 + "d" + "a" * (size - 1), source)
    end
  end

  def test_tail_code_range
    source = "\xE3" + "a" * 600
    assert_equal(false, source.valid_encoding?)
    [1, 16, 100, 135, 136, 600].each do |size|
      tail = source.byteslice(601 - size, size)
      assert_predicate(tail, :valid_encoding?)
      assert_predicate(tail, :ascii_only?)
    end
    [2, 20, 200, 599].each do |size|
      assert_equal(false, ("\u3042" * 200).byteslice(600 - size, size).valid_encoding?, size)
    end
  end

  private def assert_tail(size, enc)
    source = yield(("b" * 2000).force_encoding(enc))
    tail = source.byteslice(2000 - size, size)
    assert_equal(size, tail.bytesize)
    assert_equal(enc, tail.encoding.name)
    assert_equal("b" * size, tail.b)
    # the terminator is as wide as the encoding wants it
    assert_equal(2 * size, (tail + tail).bytesize)
    tail
  end
end
