#!/bin/sh
# Installs the gateway on this server as systemd units, or brings it up to date: docs/run/install.md. What is there already stays.

set -eu
# The user of the units reads the program, whatever the mask of this shell is. Keys and backups have modes of their own.
umask 022

usage='usage: deploy/install.sh --domain gateway.example [--dry-run]
       deploy/install.sh --uninstall [--purge] [--dry-run]

  --domain NAME   of the server, at which others reach it; needed at the first install
  --dry-run       checks, and prints what would be done
  --uninstall     removes units and program; keys, data and backups stay
  --purge         with --uninstall: keys, data and user too; backups stay

Other ports at the first install: PORT, EDGE_METRICS_PORT and METRICS_PORT in the environment.'

# Of the test, whose systemctl and useradd are stand-ins: in place of /.
root=${INSTALL_TEST_ROOT:-}
domain='' dry='' remove='' purge=''
while [ $# -gt 0 ]; do
  case $1 in
    --domain)
      case ${2:-} in '' | -*) echo "$1 needs a value." >&2; exit 2 ;; esac
      domain=$2
      shift ;;
    --dry-run) dry=1 ;;
    --uninstall) remove=1 ;;
    --purge) purge=1 ;;
    --help) echo "$usage"; exit ;;
    *) echo "$1 is no option." >&2; echo "$usage" >&2; exit 2 ;;
  esac
  shift
done
if [ -n "$purge" ] && [ -z "$remove" ]; then echo '--purge goes with --uninstall only.' >&2; exit 2; fi

source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
program=$root/opt/msgnet
settings=$root/etc/msgnet
units=$root/etc/systemd/system
data=$root/var/lib/msgnet
backups=$root/var/backups/msgnet
wait_seconds=180
min_free_mib=2048

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Runs a command, or only prints it.
step() {
  if [ -n "$dry" ]; then say "would run: $*"; else "$@"; fi
}

# The value of a variable in an environment file; empty if there is none.
read_setting() { sed -n "s/^$2=//p" "$1" 2>/dev/null | tail -n 1; }

is_active() { systemctl is-active --quiet "$1" 2>/dev/null; }

# --- Uninstall ---

uninstall() {
  for unit in msgnet-backup.timer msgnet-host msgnet-edge msgnet-simulator; do
    case $unit in *.timer) file=$units/$unit ;; *) file=$units/$unit.service ;; esac
    if [ -e "$file" ]; then step systemctl disable --now "$unit"; fi
  done
  for file in "$units"/msgnet-*.service "$units"/msgnet-*.timer; do
    if [ -e "$file" ]; then step rm -f "$file"; fi
  done
  step systemctl daemon-reload
  case $source/ in
    "$(readable_path "$program")"/*) say "$program stays: this script runs from it." ;;
    *) step rm -rf "$program" "$program.previous" "$program.new" ;;
  esac
  if [ -n "$purge" ]; then
    step rm -rf "$settings" "$data"
    if getent passwd msgnet >/dev/null; then step userdel msgnet; fi
  fi
  if [ -n "$dry" ]; then
    say 'Nothing was changed.'
  elif [ -n "$purge" ]; then
    say "Removed, with keys and data. Backups are still in $backups."
  else
    say "Removed. Keys are still in $settings, data in $data, backups in $backups."
  fi
}

readable_path() { if [ -d "$1" ]; then (CDPATH='' cd -- "$1" && pwd -P); else say "$1"; fi; }

# --- Checks: all of them, before anything is changed ---

problems=''
complain() { problems="$problems
  - $*"; }

# Prints the number before the first dot.
read_major() { "$1" --version 2>/dev/null | sed 's/^v//; s/[^0-9].*$//'; }

find_existing() {
  place=$1
  while [ ! -d "$place" ]; do place=$(dirname "$place"); done
  say "$place"
}

check_domain() {
  if [ ! -e "$settings/edge.env" ]; then
    case $domain in
      '') complain 'The domain of this server is missing: --domain gateway.example' ;;
      *[!A-Za-z0-9.-]* | .* | *. | *..* | *.-* | *-.*) complain "--domain must be a name such as gateway.example: $domain" ;;
    esac
  elif [ -n "$domain" ] && [ "$(read_setting "$settings/edge.env" PUBLIC_URL)" != "https://$domain" ]; then
    complain "This gateway has another domain: change PUBLIC_URL in $settings/edge.env, and run this again without --domain."
  fi
}

# It has keys already, and others would take their place.
check_host() {
  if [ ! -e "$settings/edge.env" ] && [ -n "$(read_setting "$settings/host.env" HOST_TOKEN)" ]; then
    complain "$settings/host.env is of a host that is registered, and there is no edge.env: put that back, or move host.env away."
  fi
}

check_disk() {
  command -v awk >/dev/null || return 0
  place=$(find_existing "$1")
  free=$(df -Pk "$place" | awk 'NR == 2 { print int($4 / 1024) }')
  if [ "$free" -lt "$min_free_mib" ]; then
    complain "$place has $free MiB free, and $min_free_mib are needed."
  fi
}

# Not if it is one of the gateway that runs here.
check_port() {
  if is_active "$2"; then return; fi
  node -e 'require("net").createServer().on("error", () => process.exit(1)).listen(+process.argv[1], "127.0.0.1", () => process.exit())' "$1" ||
    complain "Port $1 is in use, and no $2 runs here."
}

check_server() {
  case $(uname -sm) in
    'Linux x86_64' | 'Linux aarch64') ;;
    *) complain "This is $(uname -sm): Linux on x64 or arm64 is needed." ;;
  esac
  if [ -z "$root" ]; then
    [ "$(id -u)" = 0 ] || complain 'Root is needed: sudo.'
    [ -d /run/systemd/system ] || complain 'systemd does not run here: see docs/run/one-server.md for containers.'
  fi
  for command in systemctl useradd getent install tar awk; do
    command -v "$command" >/dev/null || complain "There is no $command."
  done
  if [ "$(read_major node || :)" -ge 18 ] 2>/dev/null && [ "$(read_major npm || :)" -ge 9 ] 2>/dev/null; then
    check_port "$edge_port" msgnet-edge
    check_port "$edge_metrics_port" msgnet-edge
    check_port "$host_metrics_port" msgnet-host
  else
    complain 'Node 18 and npm 9, or later, are needed, which install Node 24 for the gateway: apt-get install nodejs npm'
  fi
  check_domain
  check_host
  check_disk "$program"
  check_disk "$data"
}

# --- Steps ---

create_user() {
  if getent passwd msgnet >/dev/null; then return; fi
  step useradd --system --home-dir /var/lib/msgnet --shell /usr/sbin/nologin msgnet
}

# The program that runs stays as it is until the new one is whole.
copy_program() {
  if [ "$source" = "$(readable_path "$program")" ]; then
    build_program "$program"
    return
  fi
  step rm -rf "$program.new"
  step install -d -m 0755 "$program.new"
  if [ -n "$dry" ]; then
    say "would copy $source to $program"
  else
    (cd "$source" && tar -cf - --exclude=./node_modules --exclude=./.git --exclude='./.data*' --exclude=./.build .) |
      (cd "$program.new" && tar -xf - --no-same-owner)
  fi
  build_program "$program.new"
  if [ -e "$program" ]; then
    step rm -rf "$program.previous"
    step mv "$program" "$program.previous"
  fi
  step mv "$program.new" "$program"
}

build_program() {
  if [ -n "$dry" ]; then
    say "would run in $1: npm ci --omit=dev; npm run build:pages"
    return
  fi
  (cd "$1" && npm ci --omit=dev --no-audit --no-fund && npm run build:pages)
}

add_setting() {
  if [ "$3" != "$4" ]; then printf '%s=%s\n' "$2" "$3" >>"$1"; fi
}

# Keys are made once: others could not open what these have sealed. They are whole before they are in their place.
create_settings() {
  step install -d -m 0750 -o root -g msgnet "$settings"
  if [ -e "$settings/edge.env" ]; then return; fi
  step rm -rf "$settings/new"
  step "$program/cli/node" "$program/cli/setup.ts" --folder "$settings/new" --domain "$domain" \
    --edge "http://127.0.0.1:$edge_port"
  if [ -n "$dry" ]; then return; fi
  add_setting "$settings/new/edge.env" PORT "$edge_port" 8787
  add_setting "$settings/new/edge.env" EDGE_METRICS_PORT "$edge_metrics_port" 9465
  add_setting "$settings/new/host.env" METRICS_PORT "$host_metrics_port" 9464
  mv "$settings/new/host.env" "$settings/host.env"
  mv "$settings/new/edge.env" "$settings/edge.env"
  rmdir "$settings/new"
}

back_up() {
  if [ ! -e "$program" ] || ! is_active msgnet-edge; then return; fi
  step install -d -m 0700 "$backups"
  step "$program/cli/node" "$program/cli/backup.ts" --folder "$settings" --data "$data" \
    --into "$backups" --keep 14
}

copy_units() {
  step install -d "$units" "$backups"
  for file in edge.service host.service backup.service backup.timer; do
    step install -m 0644 "$program/deploy/systemd/msgnet-$file" "$units/msgnet-$file"
  done
  step systemctl daemon-reload
}

# Until the answer at this address contains the word.
wait_for() {
  if [ -n "$dry" ]; then
    say "would wait until $2 answers $3"
    return
  fi
  "$program/cli/node" -e '
    const [url, word, seconds] = process.argv.slice(1)
    const ends = Date.now() + seconds * 1000
    const ask = () => fetch(url).then((r) => r.text()).catch(() => "").then((text) => {
      if (text.includes(word)) process.exit()
      if (Date.now() > ends) process.exit(1)
      setTimeout(ask, 200)
    })
    ask()' "$2" "$3" "$wait_seconds" ||
    fail "$1 is not ready after $wait_seconds s: journalctl -u $1"
}

start_parts() {
  step systemctl enable msgnet-edge
  step systemctl restart msgnet-edge
  wait_for msgnet-edge "http://127.0.0.1:$edge_port/health/ready" '"ready"'
  if [ -z "$(read_setting "$settings/host.env" HOST_TOKEN)" ]; then
    step "$program/cli/node" "$program/cli/register-host.ts" --folder "$settings" --region local
  fi
  step systemctl enable msgnet-host
  step systemctl restart msgnet-host
  wait_for msgnet-host "http://127.0.0.1:$host_metrics_port/health" '"linked":true'
  step systemctl enable --now msgnet-backup.timer
}

# From its settings once it has some, and else from the environment.
choose_port() {
  if [ -e "$settings/edge.env" ]; then chosen=$(read_setting "$settings/$1.env" "$2"); else chosen=$3; fi
  say "${chosen:-$4}"
}
edge_port=$(choose_port edge PORT "${PORT:-}" 8787)
edge_metrics_port=$(choose_port edge EDGE_METRICS_PORT "${EDGE_METRICS_PORT:-}" 9465)
host_metrics_port=$(choose_port host METRICS_PORT "${METRICS_PORT:-}" 9464)
# What is started here has them from its settings.
unset PORT EDGE_METRICS_PORT METRICS_PORT

if [ -n "$remove" ]; then
  if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then fail 'Root is needed: sudo.'; fi
  uninstall
  exit
fi

check_server
if [ -n "$problems" ]; then fail "Nothing was changed:$problems"; fi
say 'Checked: system, rights, Node, npm, ports, disk.'

create_user
back_up
copy_program
create_settings
copy_units
start_parts

if [ -n "$dry" ]; then
  say 'Nothing was changed.'
  exit
fi
say "The gateway is ready at http://127.0.0.1:$edge_port; its admin token is in $settings/edge.env."
say "Copy $settings to a safe place: without its keys the data cannot be opened."
say 'TLS: docs/run/one-server.md has the lines for Caddy. The real network: read docs/run/live-network.md first.'
