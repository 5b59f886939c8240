#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many small faults in lib and src the tests detect.

  run.py [-s SEED] [-n COUNT] [-j JOBS] [-o FOLDER] [--slow SECONDS] [PATTERN...]
  run.py -l [-o FOLDER]

Makes COUNT random mutants of the files that match a PATTERN (default: lib/*/*.[ch] src/*.[ch]): in one place of a function
a comparison, an operator, a constant, a condition or a returned value is changed, or a statement is deleted.  The same
seed gives the same mutants of the same tree.  Each is built in a copy of the tree and runs the tests that concern its file,
the quickest first, until one fails.  Statements that only free memory are kept: no test here would detect that.

FOLDER (default: /tmp/kith-mutants) holds the copies, one for each job, and `results`, a line of JSON for each mutant.  After
an interruption rerun the same command to resume.  The report, which -l repeats, has the shares and a diff of each survivor.
A mutant that compiles to the same code is equivalent; whether a survivor is, too, has to be judged by hand.
"""
import argparse
import collections
import concurrent.futures
import difflib
import fnmatch
import glob
import hashlib
import json
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The scripts of tests/cli that concern a folder of lib, or a file of src by a word of its name.
CLI = {
    'lib/base': '1? 2[01] 32 40 5[0-2] 60', 'lib/sample': '10 20 50 60', 'lib/compare': '2[0-2] 60 64', 'lib/database': '5[034] 62 65',
    'lib/crew': '31 40 43', 'lib/disk': '4?', 'lib/evidence': '4? 50 6[024]', 'lib/set': '5? 60 61', 'lib/list': '51 52', 'lib/match': '6[0-4]',
    'lib/case': '48 6[025]', 'lib/report': '40 52 6[0-2]',
    'sign': '1? 32', 'compare': '2? 32', 'help': '30', 'completion': '30', 'ls': '4? 32', 'add': '50 32', 'import': '51 53 32', 'export': '52 32',
    'sets': '53 54 32', 'scan': '6? 48 32', 'report': '6? 48 32', 'case': '6? 48', 'account': '45-account.sh 48 49', 'evidence': '4? 50 60',
    'set_flags': '50 51 53', 'interrupt': '54 62', 'terminal': '3? 40 60', 'options': '1? 2? 3? 6[01]', 'main': '30',
}


# Scripts about single containers concern nothing else.
CONTAINERS = {'45-ls-aff.sh': 'aff', '45-ls-ewf.sh': 'ewf', '46-ls-gpt.sh': 'gpt', '47-ls-disks.sh': 'vmdk|vdi|qcow2|raw|tsk|deflate'}


# ---- the mutants ----

def blank(code):
    """The same length, with spaces for comments, strings, characters and preprocessor lines."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m[0]), code, flags=re.S | re.M)


def bodies(code):
    """Where functions begin and end: their braces stand in the first column, alone."""
    return [m.span() for m in re.finditer(r'^\{\n.*?^\}$', code, re.S | re.M)]


def closing(code, at):
    depth = 0
    for i in range(at, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if depth == 0:
            return i
    return len(code)


SWAPS = {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
         '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'], '^': ['|'],
         '+=': ['-='], '-=': ['+='], '|=': ['&='], '&=': ['|=']}


def operators(code):
    # clang-format puts spaces around those with two operands and none after those with one
    for m in re.finditer(r'(?<=[\w)\]] )(<<|>>|[<>=!]=|&&|\|\||[-+|&]=|[-+*/%<>&|^])(?= )|(?<=[\w)\]] )(<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^])(?=\n)', code):
        for other in SWAPS.get(m[0], []):
            yield m.start(), m.end(), other
    for m in re.finditer(r'\+\+|--', code):
        yield m.start(), m.end(), '--' if m[0] == '++' else '++'
    for m in re.finditer(r'(?<=[\s(])!(?=[\w(*])', code):
        yield m.start(), m.end(), ''


def constants(code):
    # not of "-1", which means failure as -2 would, nor of "calloc(1": nothing depends on that difference
    for m in re.finditer(r'(?<![\w.-])(?<!calloc\()(0[xX][0-9a-fA-F]+|\d+)(?![\w.])', code):
        value = int(m[0], 0) if not re.match(r'0\d', m[0]) else None
        if value is not None:
            yield m.start(), m.end(), str(value + 1)
            if value > 0:
                yield m.start(), m.end(), str(value - 1)
    for m in re.finditer(r'\b(true|false)\b', code):
        yield m.start(), m.end(), 'false' if m[0] == 'true' else 'true'


def conditions(code):
    for m in re.finditer(r'\b(if|while) \(', code):
        end = closing(code, m.end() - 1)
        inner = code[m.end():end]
        for form in ['!(%s)', '0 && (%s)'] + (['1 || (%s)'] if m[1] == 'if' else []):
            yield m.end(), end, (form, inner)


def returns(code):
    for m in re.finditer(r'\breturn ([^;]+);', code):
        other = {'0': '-1', '-1': '0', '1': '0', 'NULL': None, 'true': None, 'false': None}.get(m[1], '0')
        if other is not None:
            yield m.start(1), m.end(1), other


DECLARES = re.compile(r'\s*((const|static|struct|enum|union|unsigned|volatile|va_list)\b|[A-Za-z_]\w* \**[A-Za-z_]\w*( =|;|,|\[|\())')


def statements(code):
    for m in re.finditer(r'(?<=[;{}\n)])\n( +)([A-Za-z_*(+-][^;{}]*;)', code):
        text = m[2]
        if re.match(r'(return|goto|if|for|while|switch|case|default|else|do)\b', text) or DECLARES.match(text):
            continue
        if re.match(r'(\w+_)?(free|release|va_end)\(', text) or text.count('(') != text.count(')'):
            continue
        yield m.start(2), m.end(2), ';' + '\n' * text.count('\n')


def places(path):
    """All mutants of a file: where, and what to put there."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        source = file.read()
    code = blank(source)
    for start, end in bodies(code):
        body = code[start:end]
        for kind in operators, constants, conditions, returns, statements:
            for a, b, other in kind(body):
                if isinstance(other, tuple):
                    other = other[0] % source[start + a:start + b]
                yield {'path': path, 'start': start + a, 'end': start + b, 'put': other, 'kind': kind.__name__}


def choose(patterns, seed):
    """A random order of all mutants, of which no two change the same line."""
    paths = sorted(os.path.relpath(p, ROOT) for pattern in ('lib/*/*.[ch]', 'src/*.[ch]') for p in glob.glob(os.path.join(ROOT, pattern)))
    found = [m for p in paths if not patterns or any(fnmatch.fnmatch(p, x) for x in patterns) for m in places(p)]
    # by a number for each, so that a change elsewhere in the tree leaves the order of the others as it was
    found.sort(key=lambda m: hashlib.sha256(f"{seed} {m['path']} {m['start']} {m['put']}".encode()).digest())
    seen = set()
    for mutant in found:
        with open(os.path.join(ROOT, mutant['path']), encoding='utf-8') as file:
            line = file.read().count('\n', 0, mutant['start']) + 1
        if (mutant['path'], line) not in seen:
            seen.add((mutant['path'], line))
            mutant['line'] = line
            yield mutant


def mutated(source, mutant):
    return source[:mutant['start']] + mutant['put'] + source[mutant['end']:]


def diff(mutant):
    with open(os.path.join(ROOT, mutant['path']), encoding='utf-8') as file:
        source = file.read()
    lines = difflib.unified_diff(source.split('\n'), mutated(source, mutant).split('\n'), mutant['path'], mutant['path'], lineterm='', n=1)
    return '\n'.join(lines)


# ---- building and testing ----

def no_cores():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_session(leader):
    """Kills everything that a process started: Check gives each test a process group of its own, but not a session."""
    for path in glob.glob('/proc/[0-9]*/stat'):
        try:
            with open(path, encoding='utf-8', errors='replace') as file:
                session = file.read().rpartition(')')[2].split()[3]
            if session == str(leader):
                os.kill(int(path.split('/')[2]), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


def run(command, folder, seconds, env=None):
    """The exit status; None if it took too long.  Everything that it started is ended."""
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=no_cores)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()
        end_session(process.pid)
        process.wait()


class Copy:
    """A tree of its own, built."""

    def __init__(self, folder, jobs):
        self.tree = os.path.join(folder, 'tree')
        self.build = os.path.join(folder, 'build')
        self.scratch = os.path.join(folder, 'scratch')
        os.makedirs(self.scratch, exist_ok=True)
        for path in subprocess.check_output(['git', 'ls-files', '-z'], cwd=ROOT, text=True).split('\0'):
            self.update(path)
        if not os.path.exists(os.path.join(self.build, 'Makefile')):
            os.makedirs(self.build, exist_ok=True)
            if run(['autoreconf', '-fi'], self.tree, 600) or run([self.tree + '/configure', '-q', 'CFLAGS=-O2'], self.build, 600):
                sys.exit(f'{self.build}: cannot be configured')
        self.ready = not self.make('-j', str(jobs), 'all')
        env = {'KITH': self.build + '/kith', 'FUZZ': self.build + '/tests/fuzz', 'SRCDIR': self.tree, 'HASHSETS': self.build + '/hashsets',
               'HARDENED': 'no', 'HARDENING': '', 'SANITIZERS': '', 'MANDOC': '', 'TMPDIR': self.scratch, 'FIRST_FAILURE': 'yes',
               'IMAGES_KEPT': os.path.join(os.path.dirname(folder), 'images')}
        self.env = {**os.environ, **env}

    def update(self, path):
        """Copies a file if it has changed: make compares times."""
        source, target = os.path.join(ROOT, path), os.path.join(self.tree, path)
        if not path or not os.path.exists(source) or os.path.isdir(source):
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, 'rb') as a:
            content = a.read()
        if os.path.exists(target):
            with open(target, 'rb') as b:
                if b.read() == content:
                    return
        shutil.copy(source, target)
        os.utime(target)

    def make(self, *targets, seconds=1800):
        return run(['make', '-s', *targets], self.build, seconds)

    def objects(self):
        total = hashlib.sha256()
        for path in sorted(glob.glob(self.build + '/lib/*/*.o') + glob.glob(self.build + '/src/*.o')):
            with open(path, 'rb') as file:
                total.update(file.read())
        return total.digest()

    def test(self, name, seconds):
        """Passed, failed (also: it took too long) or skipped."""
        command = ['bash', f'{self.tree}/{name}'] if name.endswith('.sh') else [f'{self.build}/{name}']
        status = run(command, self.build, seconds, self.env)
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch, exist_ok=True)
        return {0: 'passed', 77: 'skipped'}.get(status, 'failed')


def headers(path, seen):
    """What a test includes, its own headers' headers too."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        for name in re.findall(r'^#include "(.*)"', file.read(), re.M):
            local = f'tests/unit/{name}'
            if name not in seen:
                seen.add(name)
                if os.path.exists(os.path.join(ROOT, local)):
                    headers(local, seen)
    return seen


def closeness(path, test):
    """0: the test has the name of the module, or of one that the module is part of."""
    module = re.sub(r'_inner$', '', os.path.splitext(os.path.basename(path))[0])
    name = os.path.basename(test)[len('test_'):]
    return 0 if (module + '_').startswith(name + '_') or (name + '_').startswith(module + '_') else 1


class Tests:
    """The tests, and how long each takes; None: it fails on the tree as it is, is skipped or slow, and is not used."""

    def __init__(self, path, slow):
        self.path, self.slow, self.lock = path, slow, threading.Lock()
        self.times = {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                self.times = json.load(file)
        self.units = sorted(os.path.splitext(os.path.relpath(p, ROOT))[0] for p in glob.glob(ROOT + '/tests/unit/test_*.c'))
        self.scripts = sorted(os.path.relpath(p, ROOT) for p in glob.glob(ROOT + '/tests/cli/[0-9]*.sh'))

    def concerning(self, path):
        """The tests of a file, those first that are most likely to fail, then the quickest."""
        folder = os.path.dirname(path)
        units = [t for t in self.units if any('lib/' + os.path.dirname(h) == folder for h in headers(t + '.c', set()))]
        words = CLI.get(folder) or ' '.join(v for k, v in CLI.items() if not k.startswith('lib/') and k in os.path.basename(path)) or '3? 60'
        scripts = [t for t in self.scripts if any(fnmatch.fnmatch(os.path.basename(t), w + '*') for w in words.split())
                   and re.search(CONTAINERS.get(os.path.basename(t), ''), os.path.basename(path))]
        return [*sorted(units, key=lambda t: (closeness(path, t), self.times.get(t) or 1)), *sorted(scripts, key=lambda t: self.times.get(t) or 30)]

    def run(self, copy, name):
        seconds = self.times.get(name)
        start = time.monotonic()
        result = copy.test(name, 20 + 5 * seconds if seconds else self.slow)
        if result == 'passed' and not seconds:
            self.note(name, round(time.monotonic() - start, 2))
        return result

    def note(self, name, seconds):
        with self.lock:
            self.times[name] = seconds
            with open(self.path, 'w', encoding='utf-8') as file:
                json.dump(self.times, file)

    def is_sound(self, copy, name):
        """Whether a test passes on the tree as it is, which the copy is now."""
        if name in self.times:
            return True
        if copy.make('kith' if name.endswith('.sh') else name, seconds=600) == 0 and self.run(copy, name) == 'passed':
            return True
        self.note(name, None)
        print(f'not used: {name}', file=sys.stderr)
        return False


def judge(copy, mutant, tests, unchanged):
    path = os.path.join(copy.tree, mutant['path'])
    with open(path, encoding='utf-8') as file:
        source = file.read()

    def put(text, *targets):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return copy.make(*targets, seconds=600) if targets else 0

    # the program is linked once a script needs it; of a file of the library another mutant's build is soon enough to undo this one
    in_library = re.match(r'lib/.*\.c$', mutant['path'])
    objects = ['libkith.a'] if in_library else ['libkith.a', 'kith']
    try:
        if put(mutated(source, mutant), *objects):
            return {'result': 'invalid'}
        if copy.objects() == unchanged:
            return {'result': 'equivalent'}
        ran = 0
        for name in tests.concerning(mutant['path']):
            if tests.times.get(name, 0) is None:
                continue
            if copy.make('kith' if name.endswith('.sh') else name, seconds=600):
                return {'result': 'invalid'}
            if tests.run(copy, name) == 'passed':
                ran += 1
            elif name in tests.times or (put(source, *objects) == 0 and tests.is_sound(copy, name)):
                return {'result': 'killed', 'by': name, 'ran': ran + 1}
            elif put(mutated(source, mutant), *objects):
                return {'result': 'invalid'}
        return {'result': 'survived', 'ran': ran}
    finally:
        put(source, *[] if in_library else objects)


# ---- the whole campaign ----

def load(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def report(results):
    shares = collections.defaultdict(collections.Counter)
    for r in results:
        for group in os.path.dirname(r['path']), 'all':
            shares[group][r['result']] += 1
    for r in results:
        if r['result'] == 'survived':
            print(f"survived {r['ran']} tests: {r['path']}:{r['line']}\n{r['diff']}\n")
    print(f"{'':14}{'killed':>9}{'survived':>9}{'equivalent':>11}{'share':>8}")
    for group in sorted(shares, key=lambda g: (g == 'all', g)):
        n = shares[group]
        judged = n['killed'] + n['survived']
        share = f"{n['killed'] / judged:8.1%}" if judged else ''
        print(f"{group:14}{n['killed']:9}{n['survived']:9}{n['equivalent']:11}{share}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-s', '--seed', type=int, default=1)
    parser.add_argument('-n', '--count', type=int, default=150)
    parser.add_argument('-j', '--jobs', type=int, default=1)
    parser.add_argument('-o', '--out', default='/tmp/kith-mutants')
    parser.add_argument('--slow', type=int, default=120, help='tests that take longer are not used')
    parser.add_argument('-l', '--list', action='store_true', help='report the results so far')
    parser.add_argument('patterns', nargs='*')
    args = parser.parse_args()
    out = os.path.abspath(args.out)
    path = os.path.join(out, 'results')
    results = load(path)
    if args.list:
        report(results)
        return
    os.makedirs(out, exist_ok=True)
    copies = queue.Queue()
    tests = Tests(os.path.join(out, 'times'), args.slow)
    for i in range(args.jobs):
        copy = Copy(os.path.join(out, f'copy{i}'), os.cpu_count())
        if not copy.ready:
            sys.exit(f'{copy.build}: the tree does not build')
        copies.put((copy, copy.objects()))
    done = {r['diff'] for r in results}
    left = args.count - sum(r['result'] != 'invalid' for r in results)
    mutants = (m for m in choose(args.patterns, args.seed) if diff(m) not in done)

    def attempt(mutant):
        copy, unchanged = copies.get()
        try:
            return {**mutant, 'diff': diff(mutant), **judge(copy, mutant, tests, unchanged)}
        finally:
            copies.put((copy, unchanged))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, open(path, 'a', encoding='utf-8') as file:
        running = set()
        while left > 0 or running:
            while len(running) < min(args.jobs, left) and (mutant := next(mutants, None)):
                running.add(pool.submit(attempt, mutant))
            if not running:
                break
            finished, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in finished:
                r = future.result()
                results.append(r)
                print(json.dumps(r), file=file, flush=True)
                print(f"{r['result']:10} {r['path']}:{r['line']} {r.get('by', '')}", file=sys.stderr)
                left -= r['result'] != 'invalid'
    report(results)


if __name__ == '__main__':
    main()
