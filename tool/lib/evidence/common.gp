# what the pictures share; License: Ruby's
set encoding utf8
set border 3 lc rgb "#444444"
set tics nomirror out scale 0.5
set grid ytics lc rgb "#dddddd" lt 1
set key outside right top vertical Left reverse samplen 1.5 spacing 1.2
set bmargin 5.5
set label 1000 caption at screen 0.02, 0.035 left tc rgb "#555555"
colour(i) = word(colours, i)
name(i) = system("printf %s '" . word(series, i) . "' | tr '~' ' '")
