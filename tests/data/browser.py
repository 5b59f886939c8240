# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, over its debugging pipe: no library is needed.

    with Browser() as browser:
        page = browser.open(path)
        page.run('document.title')
"""
import base64, json, os, select, shutil, subprocess, tempfile, time


def find():
    return shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')


class Browser:
    def __init__(self, seconds=60):
        self.folder = tempfile.mkdtemp()
        self.seconds, self.number, self.data, self.events = seconds, 0, b'', []
        there, self.to = os.pipe()
        self.back, here = os.pipe()
        # the browser expects 3 and 4, which the ends must not have already
        ends = [os.dup(fd) for fd in (there, here)]

        def place():
            high = [os.dup2(fd, 40 + i) for i, fd in enumerate(ends)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        options = ['--headless=new', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage',
                   '--disable-background-networking', '--disable-component-update', '--disable-extensions', '--disable-sync',
                   '--hide-scrollbars', '--enable-precise-memory-info', '--user-data-dir=' + self.folder]
        if os.getuid() == 0:
            options.append('--no-sandbox')
        self.process = subprocess.Popen([find()] + options, preexec_fn=place, close_fds=False, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in ends + [there, here]:
            os.close(fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b'\0' not in self.data:
            if not select.select([self.back], [], [], self.seconds)[0]:
                raise TimeoutError('the browser does not answer')
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError('the browser ended')
            self.data += more
        message, self.data = self.data.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        text = json.dumps(message).encode() + b'\0'
        while text:
            text = text[os.write(self.to, text):]
        while True:
            answer = self.receive()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']['message']))
                return answer['result']
            self.events.append(answer)

    def open(self, path, **options):
        return Page(self, path, **options)


class Page:
    """features: media features to emulate; scripts: whether the page may run any."""

    def __init__(self, browser, path, width=1200, height=900, features=(), scripts=True):
        self.browser = browser
        target = browser.call('Target.createTarget', url='about:blank')['targetId']
        self.session = browser.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(domain + '.enable')
        self.size(width, height)
        self.call('Emulation.setEmulatedMedia', features=[{'name': n, 'value': v} for n, v in features])
        if not scripts:
            self.call('Emulation.setScriptExecutionDisabled', value=True)
        browser.events.clear() # those of earlier pages
        self.start = time.monotonic()
        self.call('Page.navigate', url='file://' + os.path.abspath(path))
        while not any(event.get('method') == 'Page.loadEventFired' and event['sessionId'] == self.session
                      for event in browser.events):
            browser.events.append(browser.receive())
        self.loaded = time.monotonic() - self.start

    def call(self, method, **params):
        return self.browser.call(method, session=self.session, **params)

    def size(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, expression):
        """The value of an expression, which may be a promise."""
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails']['exception'].get('description', 'exception') + ': ' + expression)
        return result['result'].get('value')

    def requests(self):
        """What was loaded, apart from what is in the page itself."""
        urls = [event['params']['request']['url'] for event in self.browser.events
                if event.get('method') == 'Network.requestWillBeSent' and event['sessionId'] == self.session]
        return [url for url in urls if not url.startswith('data:')]

    def complaints(self):
        """What the page wrote to the console, threw, or was denied."""
        methods = ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded')
        return [json.dumps(event['params'])[:500] for event in self.browser.events
                if event.get('method') in methods and event['sessionId'] == self.session]

    def screenshot(self, path, whole=True):
        data = self.call('Page.captureScreenshot', captureBeyondViewport=whole)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def print(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.printToPDF', printBackground=False)['data']))
