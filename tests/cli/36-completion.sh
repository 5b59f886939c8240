#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Completion offers commands, options, values, sub-commands, sets and files: in bash, and in zsh and fish where they are
# installed.
. "$(dirname "$0")/lib.sh"

status 2 "$KITH" completion
says err "one shell is needed: bash, zsh or fish"
status 2 "$KITH" completion fihs
says err "unknown shell 'fihs' (did you mean fish?); the shells are bash, zsh, fish"
for shell in bash zsh fish; do
    status 0 "$KITH" completion $shell
    cp out $shell-completion
done
mkdir sets here
touch sets/mine.kith here/disk.img here/own.kith
export KITH_SETS=$PWD/sets
cd here || exit 99

# ---- bash ----

bash -n ../bash-completion || fail "the script for bash has an error"

# in_bash WORD...: what it offers for the last word
in_bash()
{
    bash -c '. ../bash-completion
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _kith 2>../err
        printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd" "' complete "$@"
    [ -s ../err ] && fail "bash: $(cat ../err)"
}
same "commands" "compare completion" "$(in_bash kith comp)"
same "options" "--scheme --seed --sha256 --size --split" "$(in_bash kith sign --s)"
same "values" "coates2011 coates2015" "$(in_bash kith sign --scheme coates)"
same "values of a letter" "gf8" "$(in_bash kith sign -s g)"
same "values after =" "coates2011 coates2015" "$(in_bash kith sign --scheme = coates)"
same "values after = alone" "html json text" "$(in_bash kith compare --format =)"
same "formats" "body csv excel json summary text" "$(in_bash kith ls --format "")"
same "other formats" "case csv dfxml excel html jsonl summary text timesketch" "$(in_bash kith report --format "")"
same "a list of values" "file,slack file,stream" "$(in_bash kith ls --only file,s)"
same "actions" "merge" "$(in_bash kith sets m)"
same "actions after options" "intersect" "$(in_bash kith sets --kind known -q int)"
same "files after the action" "disk.img own.kith" "$(in_bash kith sets info "")"
same "files" "disk.img" "$(in_bash kith ls d)"
same "files after a value" "disk.img own.kith" "$(in_bash kith scan -t 1 "")"
same "a set of KITH_SETS" "mine" "$(in_bash kith scan -r m)"
same "a set that is a file" "own.kith" "$(in_bash kith scan --reference o)"
same "no values" "" "$(in_bash kith ls -j "")"
same "a case" "disk.img" "$(in_bash kith scan --case d)"
same "shells" "fish" "$(in_bash kith completion f)"
same "commands for help" "report" "$(in_bash kith help r)"

# ---- zsh ----

# in_zsh WORDS: what it offers after these words, in a terminal of its own
in_zsh()
{
    python3 - "$1" <<'PY'
import os, pty, re, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM='vt100', PS1='', ZDOTDIR='/nonexistent')
    os.execvp('zsh', ['zsh', '-f'])

def read(until, seconds=20):
    text, end = b'', time.time() + seconds
    while until not in text and time.time() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                text += os.read(fd, 65536)
            except OSError:
                break
    return text

os.write(fd, b'PROMPT=; setopt no_beep; fpath=(' + os.path.abspath('../zfunc').encode() + b' $fpath); autoload -U compinit; '
         b'compinit -u -D; zstyle ":completion:*" list-grouped false; LISTMAX=10000; bindkey "^I" expand-or-complete; '
         b'bindkey "^D" list-choices; stty columns 200 rows 200; echo rea""dy\n')
read(b'ready')
time.sleep(0.5)
os.write(fd, sys.argv[1].encode() + b'\x04')
text = b''
end = time.time() + 20
while time.time() < end:
    if not select.select([fd], [], [], 2)[0]:
        if text.count(b'\n') > 0:
            break
        continue
    text += os.read(fd, 65536)
os.close(fd)
print(re.sub(r'\x1b\[[0-9;?]*[a-zA-Z]|[\r\x07]', ' ', text.decode('utf-8', 'replace')))
PY
}
if command -v zsh >/dev/null; then
    zsh -n ../zsh-completion || fail "the script for zsh has an error"
    mkdir ../zfunc
    cp ../zsh-completion ../zfunc/_kith
    offers()
    {
        in_zsh "$1" >offered
        shift
        for word; do
            grep -qwF -- "$word" offered || fail "zsh does not offer $word: $(tail -c 300 offered)"
        done
        rm -f offered
    }
    offers 'kith ' scan report sets
    offers 'kith ls --format ' body csv excel json summary text
    offers 'kith sets ' merge subtract verify
    offers 'kith scan -r ' mine own.kith
    offers 'kith ls --only file,s' slack stream
else
    echo "not tested, since it is not installed: zsh"
fi

# ---- fish ----

if command -v fish >/dev/null; then
    fish --no-execute ../fish-completion || fail "the script for fish has an error"
    in_fish()
    {
        fish --no-config -c "source ../fish-completion; complete -C '$1'" | cut -f1 | LC_ALL=C sort | paste -sd' '
    }
    same "fish: commands" "compare completion" "$(in_fish 'kith comp')"
    same "fish: options" "--scheme --seed --sha256 --size --split" "$(in_fish 'kith sign --s')"
    same "fish: values" "coates2011 coates2015" "$(in_fish 'kith sign --scheme coates')"
    same "fish: formats" "body csv excel json summary text" "$(in_fish 'kith ls --format ')"
    same "fish: a list" "file,slack file,stream" "$(in_fish 'kith ls --only file,s')"
    same "fish: actions" "merge" "$(in_fish 'kith sets m')"
    same "fish: sets" "mine" "$(in_fish 'kith scan -r m')"
    same "fish: files" "disk.img" "$(in_fish 'kith ls d')"
else
    echo "not tested, since it is not installed: fish"
fi
finish
