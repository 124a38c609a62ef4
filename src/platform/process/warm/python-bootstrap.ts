/**
 * Waits on descriptor 0 for a hand-over and then is the script. `R` on its output says that it waits, `A` that the
 * script begins. It leaves no name in `__main__` and takes its own frame out of tracebacks. What it cannot do exactly
 * (an archive, a script that does not compile) it leaves to a fresh interpreter in its place. Of the variables it was
 * started with it keeps the marker, and the `LC_CTYPE` that Python itself sets where the locale is poor.
 *
 * The modules most scripts import are loaded ahead and kept aside: they appear in `sys.modules` when the script
 * imports them, with what they import themselves and in that order, and not at all when a file beside the script has
 * one of their names. What is there so far is no business of the garbage collector, which makes the end faster.
 */
export const PYTHON_BOOTSTRAP = `
def _():
    import sys, posix, os
    if sys.version_info < (3, 6): posix._exit(1)
    def take(size):
        taken = b''
        while len(taken) < size:
            more = posix.read(0, size - len(taken))
            if not more: posix._exit(0)
            taken += more
        return taken
    def tell(byte):
        try: posix.write(1, byte)
        except OSError: posix._exit(0)
    isolated = sys.flags.isolated or getattr(sys.flags, 'safe_path', False)
    if not isolated: del sys.path[0]
    modules = sys.modules
    main = modules['__main__'].__dict__
    stash, homes, edges = {}, {}, {}
    def ahead(builtins, names):
        known, own = set(modules), builtins.__import__
        def watch(name, globals=None, locals=None, fromlist=(), level=0):
            module = own(name, globals, locals, fromlist, level)
            parts = name.split('.') if name else []
            if level: parts = globals['__package__'].split('.')[:1 - level or None] + parts
            used = ['.'.join(parts[:end]) for end in range(1, len(parts) + 1)]
            used += [used[-1] + '.' + item for item in fromlist or ()]
            edges.setdefault((globals or {}).get('__name__'), []).extend(used)
            return module
        builtins.__import__ = watch
        try:
            for name in names: own(name)
        finally: builtins.__import__ = own
        for name in [name for name in modules if name not in known]:
            spec = modules[name].__spec__
            if not spec.has_location: continue
            stash[name] = modules.pop(name)
            homes[name] = os.path.dirname(spec.origin)
            if spec.submodule_search_locations is not None: homes[name] = os.path.dirname(homes[name])
        for finder in sys.path_importer_cache.values():
            if getattr(finder, 'path', None) in homes.values(): serve(finder, finder.find_spec)
    def reveal(name):
        module = stash.pop(name, None)
        if module is None: return
        for used in edges.get(name, ()): reveal(used)
        modules.setdefault(name, module)
    def serve(finder, own):
        def find_spec(name, target=None):
            module = stash.get(name)
            if module is None or homes[name] != finder.path: return own(name, target)
            loader = module.__spec__.loader
            def exec_module(_):
                del loader.create_module, loader.exec_module
                del modules[name]
                reveal(name)
            loader.create_module, loader.exec_module = lambda spec: module, exec_module
            return module.__spec__
        finder.find_spec = find_spec
    if 'PYTHONPATH' not in os.environ: ahead(modules['builtins'], ['json', 'argparse'])
    class Run:
        def __enter__(self): pass
        def __exit__(self, kind, error, trace):
            if kind is None:
                for name in ('__file__', '__cached__'): main.pop(name, None)
                return
            before = getattr(sys, 'excepthook', None)
            if before is None or issubclass(kind, SystemExit): return
            def hook(kind, error, trace):
                sys.excepthook = before
                trace = trace and trace.tb_next
                error.__traceback__ = sys.last_traceback = trace
                before(kind, error, trace)
                for name in ('__file__', '__cached__'): main.pop(name, None)
            sys.excepthook = hook
    def read(path):
        with open(path, 'rb') as file: return file.read()
    compile(read('/dev/null'), os.path.realpath('/dev/null'), 'exec', 0, True)
    import gc
    gc.freeze() if hasattr(gc, 'freeze') else None
    del modules['gc']
    tell(b'R')
    fields = take(int(take(8), 16)).split(b'\\0')
    given, program, folder, at, count = int(fields[0]), fields[1], fields[2], int(fields[3]), int(fields[4])
    words, entries = fields[5:5 + count], fields[5 + count:]
    if given:
        posix.dup2(given, 0)
        posix.close(given)
    try: posix.chdir(folder)
    except OSError: posix._exit(1)
    kept = {name: os.environb[name] for name in (b'MCP_RUN', b'LC_CTYPE') if name in os.environb}
    for name in list(os.environb): del os.environb[name]
    posix.environ.clear()
    for entry in entries:
        name, _, value = entry.partition(b'=')
        value = kept.pop(name, None if name == b'MCP_RUN' else value)
        if value is not None: os.environb[name] = posix.environ[name] = value
    for name in kept: os.environb[name] = posix.environ[name] = kept[name]
    tell(b'A')
    script = os.fsdecode(words[at])
    try:
        source = read(script)
        if b'PK\\5\\6' in source[-65557:]: raise ValueError
        code = compile(source, script, 'exec', 0, True)
    except BaseException:
        posix.execve(program, words, dict(posix.environ))
    def start():
        del main['_']
        return code
    main['_'] = start
    sys.argv[:] = [os.fsdecode(word) for word in words[at:]]
    if hasattr(sys, 'orig_argv'): sys.orig_argv[:] = [os.fsdecode(word) for word in words]
    sys.path_importer_cache[script] = None
    if not isolated:
        sys.path.insert(0, os.path.dirname(os.path.realpath(script)))
        try: beside = {name.partition('.')[0] for name in posix.listdir(sys.path[0])}
        except OSError: beside = set(stash)
        if not beside.isdisjoint(stash): stash.clear()
    main['__file__'] = script
    if sys.version_info < (3, 15): main['__cached__'] = None
    main['__loader__'] = sys.modules['_frozen_importlib_external'].SourceFileLoader('__main__', script)
    return Run()
with _(): exec(_())
`
