import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { CREATE, QUIZ } from '../mock-server/calls.ts'
import { repository, runIn, writeProject } from './consumer.ts'

/* The recipes of docs/other-languages.md, with the installed program, where their language is on this machine. */

const consumer = inject('consumer')
const guide = readFileSync(join(repository, 'docs/other-languages.md'), 'utf8')

/** The blocks of code in the section of a language. */
function recipe(heading: string): string[] {
  const section = guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

/* What every recipe leaves to the reader: an application that invites. */
const input = (email: string): string =>
  JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: { email } } } })

const [certifyMock = '', conftest = '', pythonTest = ''] = recipe('Python')
const pythonApplication = `
import builtins, urllib.request
def invites(email, base_url, key):
    headers = {"content-type": "application/json", "x-api-key": key}
    data = ${JSON.stringify(input('EMAIL'))}.replace("EMAIL", email).encode()
    urllib.request.urlopen(urllib.request.Request(base_url + "/api/developer/graphql", data, headers)).read()
builtins.the_application_invites = invites
`

test('a program in Python, with the standard library alone, sets a world and switches, invites, waits, plays the candidate and reads the request log', () => {
  const program = readFileSync(join(import.meta.dirname, 'integrator.py'), 'utf8')
  const folder = writeProject(consumer, 'python', { 'certify_mock.py': certifyMock, 'integrator.py': program })
  const { status, stdout, stderr } = runIn(consumer, 'python3', [join(folder, 'integrator.py')])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    skills: ['Python'],
    refused: [400, 400],
    sameInvite: true,
    played: 'PASSED',
    callback: ['certification.completed', 'delivered'],
    received: ['certification.completed'],
    log: [400, 200, 400].map((answered) => [['developerCreateCertificationInvite'], 'full', answered]),
    others: 0,
  })
})

test('the test in the recipe for Python passes without pytest', () => {
  const folder = writeProject(consumer, 'python-plain', {
    'certify_mock.py': certifyMock,
    'test_invite.py': pythonTest,
    'main.py': `${pythonApplication}
from certify_mock import new_session, running_mock
from test_invite import test_the_candidate_receives_an_email
with running_mock() as mock, new_session(mock) as session:
    test_the_candidate_receives_an_email(session)
`,
  })
  expect(runIn(consumer, 'python3', [join(folder, 'main.py')])).toEqual({ status: 0, stdout: '', stderr: '' })
})

test.skipIf(!has('python3', '-c', 'import pytest'))(
  'the recipe for Python passes with pytest, if it is installed',
  () => {
    const folder = writeProject(consumer, 'python-pytest', {
      'certify_mock.py': certifyMock,
      'conftest.py': conftest + pythonApplication,
      'test_invite.py': pythonTest,
    })
    const { status, stdout } = runIn(consumer, 'python3', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder])
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('1 passed') })
  },
)

const [javaMock = '', javaExtension = '', javaTest = ''] = recipe('Java')

/* As much of JUnit 5 as the recipe uses; JUnit itself is not run. */
const junit = {
  'org/junit/jupiter/api/Test.java': 'package org.junit.jupiter.api; public @interface Test {}',
  'org/junit/jupiter/api/extension/ExtendWith.java':
    'package org.junit.jupiter.api.extension; public @interface ExtendWith { Class<?> value(); }',
  'org/junit/jupiter/api/extension/ParameterContext.java':
    'package org.junit.jupiter.api.extension; public interface ParameterContext { java.lang.reflect.Parameter getParameter(); }',
  'org/junit/jupiter/api/extension/ParameterResolutionException.java':
    'package org.junit.jupiter.api.extension; public class ParameterResolutionException extends RuntimeException { public ParameterResolutionException(String text, Throwable cause) { super(text, cause); } }',
  'org/junit/jupiter/api/extension/ParameterResolver.java':
    'package org.junit.jupiter.api.extension; public interface ParameterResolver { boolean supportsParameter(ParameterContext p, ExtensionContext e) throws ParameterResolutionException; Object resolveParameter(ParameterContext p, ExtensionContext e) throws ParameterResolutionException; }',
  'org/junit/jupiter/api/extension/ExtensionContext.java': `package org.junit.jupiter.api.extension;
public interface ExtensionContext {
  ExtensionContext getRoot();
  Store getStore(Namespace namespace);
  class Namespace { public static final Namespace GLOBAL = new Namespace(); }
  interface Store {
    Object get(Object key);
    <V> V get(Object key, Class<V> type);
    void put(Object key, Object value);
    interface CloseableResource { void close() throws Throwable; }
  }
}`,
}

const javaApplication = `
  static void theApplicationInvites(String email, String baseUrl, String key) throws Exception {
    var body = ${JSON.stringify(input('EMAIL'))}.replace("EMAIL", email);
    var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(baseUrl + "/api/developer/graphql"))
      .header("content-type", "application/json").header("x-api-key", key)
      .POST(java.net.http.HttpRequest.BodyPublishers.ofString(body)).build();
    java.net.http.HttpClient.newHttpClient().send(request, java.net.http.HttpResponse.BodyHandlers.ofString());
  }
}
`

const javaMain = `
import java.util.*;
import org.junit.jupiter.api.extension.*;
class Main implements ExtensionContext, ExtensionContext.Store {
  final Map<Object, Object> kept = new LinkedHashMap<>();
  public ExtensionContext getRoot() { return this; }
  public Store getStore(Namespace namespace) { return this; }
  public Object get(Object key) { return kept.get(key); }
  public <V> V get(Object key, Class<V> type) { return type.cast(kept.get(key)); }
  public void put(Object key, Object value) { kept.put(key, value); }
  public static void main(String[] args) throws Throwable {
    var context = new Main();
    var method = InviteTest.class.getDeclaredMethod("theCandidateReceivesAnEmail", CertifySession.class);
    var extension = new CertifyExtension();
    if (!extension.supportsParameter(() -> method.getParameters()[0], context)) throw new Error("not supported");
    var session = (CertifySession) extension.resolveParameter(null, context);
    try { new InviteTest().theCandidateReceivesAnEmail(session); }
    finally { session.close(); ((Store.CloseableResource) context.kept.get("certify")).close(); }
    System.out.println("passed");
  }
}
`

test.skipIf(!has('javac', '-version'))('the recipe for Java passes against stubs of JUnit, if there is a JDK', () => {
  const folder = writeProject(consumer, 'java', {
    ...junit,
    'CertifyMock.java': javaMock,
    'CertifyExtension.java': javaExtension,
    'InviteTest.java': `import org.junit.jupiter.api.Test;\nimport org.junit.jupiter.api.extension.ExtendWith;\n${javaTest.trimEnd().replace(/\}$/, javaApplication)}`,
    'Main.java': javaMain,
  })
  const sources = ['CertifyMock', 'CertifyExtension', 'InviteTest', 'Main'].map((name) => `${name}.java`)
  const compiled = runIn(folder, 'javac', ['--release', '17', '-d', 'classes', '-sourcepath', '.', ...sources])
  expect(compiled).toMatchObject({ status: 0 })
  expect(runIn(consumer, 'java', ['-cp', join(folder, 'classes'), 'Main'])).toMatchObject({ stdout: 'passed\n' })
})

test.each(['Go', 'Ruby', '.NET'])(
  'the recipe for %s, which is not run here, uses operations that exist',
  (language) => {
    const document = readFileSync(join(consumer, 'node_modules/certify-sdk/dist/openapi.json'), 'utf8')
    const { paths } = JSON.parse(document) as { paths: Record<string, object> }
    const [code = ''] = recipe(language)
    const named = [...code.matchAll(/(?:__mock|#\{@control\})(\/[a-z]+(\/[a-z]+)?)/g)].map(([, path = '']) => path)
    expect(named).toEqual(expect.arrayContaining(['/sessions', '/outbox/wait', '/invites']))
    const known = Object.keys(paths)
    expect(named.filter((path) => !known.some((each) => each === path || each.startsWith(`${path}/{`)))).toEqual([])
  },
)
