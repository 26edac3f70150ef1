# bytes that a retained slice holds, by its length; License: Ruby's
load here . "/common.gp"
set logscale xy
set xrange [8:1000]
set yrange [30:2000]
set xtics (8, 16, 32, 64, 128, 256, 512)
set ytics (40, 80, 160, 320, 640, 1280)
set xlabel "length of the slice (bytes)"
set ylabel "bytes a retained slice"
set key inside left top Left reverse
set bmargin 6
# the last are the widest and lie below, so that those on the same line show
n = words(series)
set multiplot layout 1,2
set title "All of one source, neither frozen nor shared"
plot for [k=1:n] i=n+1-k data using 1:(column(2*i)) with lines lc rgb colour(i) lw (1.2 + 1.5*(i-1)) title name(i)
unset label 1000
unset key
unset ylabel
set title "A source of 1100 bytes each, dropped"
plot for [k=1:n] i=n+1-k data using 1:(column(2*i+1)) with lines lc rgb colour(i) lw (1.2 + 1.5*(i-1)) notitle
unset multiplot
