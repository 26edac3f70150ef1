# bytes that a retained slice holds, by its length; License: Ruby's
load here . "/common.gp"
set logscale xy
set xrange [8:1000]
set yrange [30:2500]
set xtics (8, 16, 32, 64, 103, 135, 231, 512, 1000)
set ytics (40, 80, 160, 320, 640, 1280)
set xlabel "length of the slice (bytes)"
set ylabel "bytes a retained slice"
set title "Retained slices: all of one source (lines), source dropped (dashes)"
# the last are the widest and lie below, so that those on the same line show
n = words(series)
plot for [k=1:n] i=n+1-k data using 1:(column(2*i)) with lines lc rgb colour(i) lw (1.2 + 2.2*(i-1)) title name(i), \
     for [k=1:n] i=n+1-k data using 1:(column(2*i+1)) with lines lc rgb colour(i) dt 2 lw (1 + 1.2*(i-1)) notitle
