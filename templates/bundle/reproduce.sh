#!/bin/sh
# Tries one variant of this study again: makes a data directory, fills it, starts the server with the exact options of
# the run, prints its effective settings and how long the start took, and stops it. Needs a server, a POSIX shell and
# GNU coreutils, and neither Benchbook nor a client.
#
#   SERVER=/usr/sbin/mariadbd ./reproduce.sh              the first variant
#   SERVER=/usr/sbin/mariadbd ./reproduce.sh NAME         another one
#   ./reproduce.sh --list                                 their names
#
# Set any of these:
SERVER=${SERVER:-}          # the server executable: mariadbd or mysqld
TIMES=${TIMES:-3}           # how many starts are timed, each on a fresh copy of the data directory
WORK=${WORK:-}              # a folder to work in, where there is enough space; /tmp if unset
KEEP=${KEEP:-}              # 1 keeps the data and logs; without it all that the script made is removed
DATA_FILES=${DATA_FILES:-}  # where files lie that the data set is loaded from

set -eu
export LC_ALL=C TZ=UTC
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
fail() { printf 'reproduce.sh: %s\n' "$*" >&2; exit 1; }

# Texts of the study stand in files and are only read. No line of a recipe becomes code of this script, and the variables
# that the study gave the server are set by the recipe's server.sh, for the server alone.
if [ "${1:-}" = --list ]; then ls "$here/variants"; exit 0; fi
variant=${1:-$(ls "$here/variants" | sort -n | head -n 1)}
recipe=$here/variants/$variant
case $variant in */*) fail "there is no variant '$variant'; ./reproduce.sh --list names them" ;; esac
fact() { sed -n "s/^$1	//p" "$recipe/run.tsv"; }
[ -n "$variant" ] && [ -f "$recipe/my.cnf" ] || fail "there is no variant '$variant'; ./reproduce.sh --list names them"
[ -z "$DATA_FILES" ] || [ -d "$DATA_FILES" ] || fail "DATA_FILES=$DATA_FILES is no folder"
[ -n "$SERVER" ] || fail "say which server to start: SERVER=/path/to/mariadbd ./reproduce.sh"
[ -f "$SERVER" ] && [ -x "$SERVER" ] || fail "SERVER=$SERVER is no program"
case $TIMES in '' | *[!0-9]* | 0) fail "TIMES is a number from 1, not '$TIMES'" ;; esac
case $(date +%N) in *[!0-9]*) fail 'this needs the date of GNU coreutils' ;; esac

# 1. The server, and what lies beside it. One unpacked with the libraries of its own system runs through those.
bin=$(dirname -- "$SERVER")
base=$(CDPATH='' cd -- "$bin/.." && pwd)
SERVER=$(CDPATH='' cd -- "$bin" && pwd)/$(basename -- "$SERVER")
loader='' libraries=''
if [ "$base" != /usr ] && [ "$base" != / ]; then
  for folder in "$base/../lib"/*-linux-gnu "$base/../lib64" "$base/lib"/*-linux-gnu "$base/lib64" "$base/lib" "$base/lib/mysql/private"; do
    [ -d "$folder" ] || continue
    libraries=${libraries:+$libraries:}$folder
    for file in "$folder"/ld-linux*.so.*; do
      if [ -z "$loader" ] && [ -x "$file" ]; then loader=$file; fi
    done
  done
fi
share=''
for folder in "$base"/share/mariadb "$base"/share/mysql "$base"/share/mysql-* "$base"/share; do
  if [ -z "$share" ] && [ -f "$folder/english/errmsg.sys" ]; then share=$folder; fi
done
plugins=''
for folder in "$base"/lib/mysql/plugin "$base"/lib64/mysql/plugin "$base"/lib/plugin "$base"/lib/*/mariadb*/plugin; do
  if [ -z "$plugins" ] && [ -d "$folder" ]; then plugins=$folder; fi
done
server() {
  set -- "$@" --basedir="$base" ${share:+--lc-messages-dir="$share" --character-sets-dir="$share/charsets"} ${plugins:+--plugin-dir="$plugins"}
  if [ "$(id -u)" = 0 ]; then set -- "$@" --user="$(id -un)"; fi
  cd "$work"
  if [ -n "$loader" ]; then
    set -- "$loader" --library-path "$libraries" "$SERVER" "$@"
  elif [ -n "$libraries" ]; then
    set -- "$(command -v env)" LD_LIBRARY_PATH="$libraries" "$SERVER" "$@"
  else
    set -- "$SERVER" "$@"
  fi
  exec /bin/sh "$recipe/server.sh" "$@"
}

# 2. Folders of our own, and an end to whatever we start. Only what mktemp made here is ever removed.
work='' sockets='' made='' pid=''
end() {
  status=$?
  trap - EXIT
  if [ -n "$pid" ]; then kill -KILL "$pid" 2>/dev/null || :; wait "$pid" 2>/dev/null || :; fi
  if [ -n "$sockets" ]; then rm -rf -- "$sockets"; fi
  if [ -n "$KEEP" ] && [ -n "$work" ]; then printf 'kept: %s\n' "$work"; elif [ -n "$work" ]; then rm -rf -- "$work"; fi
  if [ -n "$made" ]; then rmdir -- "$made" 2>/dev/null || :; fi
  exit "$status"
}
trap end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if [ -n "$WORK" ]; then
  if [ ! -d "$WORK" ]; then mkdir -p -- "$WORK"; made=$(CDPATH='' cd -- "$WORK" && pwd); fi
  WORK=$(CDPATH='' cd -- "$WORK" && pwd)
fi
work=$(mktemp -d "${WORK:-${TMPDIR:-/tmp}}/reproduce-XXXXXX")
work=$(CDPATH='' cd -- "$work" && pwd)
sockets=$(mktemp -d /tmp/reproduce-XXXXXX)
readonly work sockets made
mkdir "$work/out" "$work/tmp"
# The names of these links hold no character that SQL, my.cnf or sed would read as its own.
ln -s "$work" "$sockets/work"
files=$work/out
if [ -n "$DATA_FILES" ]; then ln -s "$(CDPATH='' cd -- "$DATA_FILES" && pwd)" "$sockets/files"; files=; fi

version=$( (server --no-defaults --version) 2>&1) || fail "the server does not run: $version"
case $version in *MariaDB*) family=mariadb ;; *) family=mysql ;; esac
number=${version#*Ver }; number=${number%% *}
printf 'variant     %s\n' "$variant"
printf 'server      %s\n' "$SERVER"
printf '            %s\n' "$version"
printf 'of the run  %s\n' "$(fact version)"
if [ "$(sha256sum <"$SERVER" | cut -d ' ' -f 1)" = "$(fact sha256)" ]; then echo '            the same executable, by its SHA-256'; else echo '            another executable, by its SHA-256'; fi
[ "$family" = "$(fact family)" ] || fail "the run measured $(fact family), and this is $family"
variables=information_schema.GLOBAL_VARIABLES
if [ "$family" = mysql ]; then case $number in 5.[0-6].*) ;; *) variables=performance_schema.global_variables ;; esac; fi
mark=$(fact mark)
filled() { sed -e "s|@$mark-OUT@|$sockets/work/out|g" -e "s|@$mark-DATADIR@|$sockets/work/data|g" -e "s|@$mark-FILES@|$sockets/files|g" -e "s|@$mark-VARIABLES@|$variables|g" "$1"; }
filled "$recipe/my.cnf" >"$work/my.cnf"

# 3. Start and stop. The clock starts before the fork; a start ends with the server's own ready line.
now() { date +%s%N; }
start() {
  log=$1; shift
  : >"$log"
  begin=$(now)
  (server --defaults-file="$work/my.cnf" --datadir="$work/data" --tmpdir="$work/tmp" --socket="$sockets/s" --pid-file="$sockets/pid" "$@") >>"$log" 2>&1 &
  pid=$!
  until grep -q 'ready for connections' "$log"; do
    if ! kill -0 "$pid" 2>/dev/null; then
      pid=''; cat "$log" >&2; fail 'the server ended before it was ready; its log stands above'
    fi
    sleep 0.002
  done
  elapsed=$(($(now) - begin))
}
stop() {
  kill -TERM "$pid"
  wait "$pid" || { pid=''; cat "$log" >&2; fail 'the server did not end in order; its log stands above'; }
  pid=''
}

# 4. A data directory, started and slowly stopped once before it is measured, as the run did it.
echo 'making a data directory'
if [ "$family" = mysql ]; then
  case $number in
    5.[0-6].*) ;;
    *) (server --defaults-file="$work/my.cnf" --initialize-insecure --secure-file-priv= --datadir="$work/data") >"$work/initialise.log" 2>&1 || { cat "$work/initialise.log" >&2; fail 'no data directory could be made'; } ;;
  esac
fi
if [ ! -d "$work/data" ]; then
  mkdir -m 700 "$work/data"
  {
    printf 'CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n'
    for part in system_tables performance_tables system_tables_data fill_help_tables maria_add_gis_sp_bootstrap sys_schema; do
      for name in "mariadb_$part" "mysql_$part" "$part"; do
        if [ -f "$share/$name.sql" ]; then grep -v '@current_hostname' "$share/$name.sql"; break; fi
      done
    done
  } >"$work/system.sql"
  (server --defaults-file="$work/my.cnf" --bootstrap --datadir="$work/data" --tmpdir="$work/tmp") <"$work/system.sql" >"$work/initialise.log" 2>&1 || { cat "$work/initialise.log" >&2; fail 'no data directory could be made'; }
fi
start "$work/first.log" --innodb-fast-shutdown=0
stop
if [ -s "$recipe/data.sql" ]; then
  echo 'filling it'
  for program in "$recipe"/rows-*.mjs; do
    [ -f "$program" ] || continue
    command -v node >/dev/null || fail "the rows of $(basename "$program") are made by a function of the study: install Node.js"
    node "$program" >"$work/out/$(basename "$program").tsv"
  done
  filled "$recipe/data.sql" >"$work/data.sql"
  start "$work/fill.log" --init-file="$work/data.sql" --innodb-fast-shutdown=0 --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=1G --secure-file-priv="$files"
  stop
  start "$work/filled.log" --innodb-fast-shutdown=0
  stop
fi
rm -f "$work/data/ib_buffer_pool"
mv "$work/data" "$work/pristine"

# 5. Effective settings beside those of the run.
cp -a "$work/pristine" "$work/data"
filled "$recipe/settings.sql" >"$work/settings.sql"
start "$work/settings.log" --init-file="$work/settings.sql" --secure-file-priv="$work/out"
stop
rm -rf "$work/data"
echo
printf '%-42s %-24s %-24s %s\n' setting requested 'in the run' here
tail -n +2 "$recipe/settings.tsv" | while IFS='	' read -r name requested effective; do
  here_value=$(awk -F '\t' -v name="$name" '$1 == name { print $2; found = 1 } END { if (!found) print "not reported" }' "$work/out/settings.tsv")
  mark=''; [ "$here_value" = "$effective" ] || mark='  <- differs'
  printf '%-42s %-24s %-24s %s%s\n' "$name" "$requested" "$effective" "$here_value" "$mark"
done
rm -f "$work/out/settings.tsv"

# 6. Timed starts.
echo
i=1
while [ "$i" -le "$TIMES" ]; do
  cp -a "$work/pristine" "$work/data"
  sync
  start "$work/start-$i.log"
  stop
  printf 'start %s: %d.%06d s from the fork to the ready line (resolution about 5 ms)\n' "$i" "$((elapsed / 1000000000))" "$((elapsed % 1000000000 / 1000))"
  rm -rf "$work/data"
  i=$((i + 1))
done
printf '%s\n' "$(fact startup)"

# 7. Statements that the run timed, here timed within the server, without a client.
if [ -s "$recipe/statements.sql" ]; then
  echo
  cp -a "$work/pristine" "$work/data"
  filled "$recipe/statements.sql" >"$work/statements.sql"
  start "$work/statements.log" --init-file="$work/statements.sql" --secure-file-priv="$work/out"
  stop
  cat "$work/out"/time-*.tsv | awk -F '\t' '{ printf "%s, execution %s: %s s\n", $1, $2, $3 }'
fi
if [ -s "$recipe/by-hand.txt" ]; then echo; echo 'Not done here:'; cat "$recipe/by-hand.txt"; fi
