# Demangled names of functions as the lists in ci/hot-functions.d have them: without the
# numbers that compilers give, and where a type is from.
s/\[[0-9a-f]{8,16}\]//g
s/::\{[^}]*\}//g
s/([a-z_][a-z_0-9]*::)+([A-Z])/\2/g
