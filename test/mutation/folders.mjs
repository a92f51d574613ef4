/*
 * The folders whose rules are mutated, and the tests that hold them. Properties are left out: there is chance in them, and a
 * score has to repeat.
 */
const FOLDERS = {
  'src/transport': [
    'test/src/{breaker,breaker-outages,breaker-probe,client,failures,failures-on-this-side}.test.ts',
    'test/src/{hooks,inputs,never-twice}.test.ts',
    'test/src/{null-descriptions,options,request-headers,retry,secrets,tracing}.test.ts',
    'test/src/ledger/suspended.test.ts',
  ],
  'src/ledger/rules': [
    'test/src/ledger/{address-keys,campaign-overlap,contract,errors,guard,guard-options,late,lost-record}.test.ts',
    'test/src/ledger/{outcome,package-skills,reference,rules,scopes,settling,suspended}.test.ts',
  ],
  'mock-server/world': [
    'test/mock-server/{access,behaviour,callbacks,candidate,challenge,delivery,invites,load,options,package-invites}.test.ts',
    'test/mock-server/{rules,snapshot,timeline,tracks,world}.test.ts',
  ],
}

/** @type {string} */
export const folder = process.env['FOLDER'] ?? 'mock-server/world'

export const tests = FOLDERS[/** @type {keyof typeof FOLDERS} */ (folder)]
