import type { ApiKey, CandidateHistory, Level, Package, Track, WorldData } from './model.ts'
import { QUIZZES } from './quizzes.ts'

/** The keys of the documented world. They work for a mock only. */
const API_KEYS: readonly ApiKey[] = [
  {
    name: 'full',
    key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w',
    scopes: ['CERTIFICATION_PACKAGE_READ', 'CERTIFICATION_INVITE_CREATE'],
  },
  { name: 'read', key: 'ck_sandbox_read_5d8k2r7n4b1j9f6s', scopes: ['CERTIFICATION_PACKAGE_READ'] },
  { name: 'invite', key: 'ck_sandbox_invite_3p6z9g2y5a8w1e4u', scopes: ['CERTIFICATION_INVITE_CREATE'] },
  { name: 'none', key: 'ck_sandbox_none_8t1c4v7m2x5q9h6k', scopes: [] },
]

const CANDIDATES: readonly CandidateHistory[] = [
  { email: 'marta.lindqvist@candidate.test', certifications: [{ quizId: 'quiz_react_beginner_components' }] },
  { email: 'tomasz.okafor@candidate.test', attempts: [{ quizId: 'quiz_react_beginner_components' }] },
]

const TRACKS: readonly Track[] = [
  {
    id: 'trk_react',
    name: 'React',
    slug: 'react',
    packages: [
      pack('react', 'BEGINNER', 'React Fundamentals', 'Building a first interface out of components and state.', [
        'quiz_react_beginner_components',
        'quiz_react_beginner_state',
        'quiz_javascript_beginner',
      ]),
      pack('react', 'INTERMEDIATE', 'React Practitioner', 'Day-to-day work on an application with many screens.', [
        'quiz_react_intermediate_hooks',
        'quiz_react_intermediate_routing',
      ]),
      pack('react', 'ADVANCED', 'React Professional', 'Keeping a large application fast and trustworthy.', [
        'quiz_react_advanced_performance',
        'quiz_react_advanced_testing',
      ]),
      pack('react', 'EXPERT', 'React Expert', 'Setting the direction of a front end that several teams share.', [
        'quiz_react_expert_architecture',
        'quiz_react_expert_accessibility',
      ]),
    ],
  },
  {
    id: 'trk_python_data',
    name: 'Python for Data',
    slug: 'python-data',
    packages: [
      pack('python_data', 'BEGINNER', 'Python for Data Fundamentals', 'Reading, asking and reshaping data.', [
        'quiz_python_beginner',
        'quiz_sql_beginner_queries',
      ]),
      pack('python_data', 'INTERMEDIATE', 'Python for Data Practitioner', 'Answering questions with real data sets.', [
        'quiz_python_intermediate_pandas',
        'quiz_python_intermediate_plots',
      ]),
      pack('python_data', 'ADVANCED', 'Python for Data Professional', 'Models and pipelines that run every night.', [
        'quiz_python_advanced_learning',
        'quiz_python_advanced_pipelines',
      ]),
    ],
  },
  {
    id: 'trk_cloud_operations',
    name: 'Cloud Operations',
    slug: 'cloud-operations',
    packages: [
      pack('cloud_operations', 'BEGINNER', 'Cloud Operations Fundamentals', 'The ground that every cloud stands on.', [
        'quiz_linux_beginner',
        'quiz_network_beginner',
      ]),
      pack('cloud_operations', 'INTERMEDIATE', 'Cloud Operations Practitioner', 'Running services and seeing inside.', [
        'quiz_cloud_intermediate_containers',
        'quiz_cloud_intermediate_observability',
      ]),
      pack('cloud_operations', 'ADVANCED', 'Cloud Operations Professional', 'Staying calm when production is not.', [
        'quiz_cloud_advanced_incidents',
        'quiz_cloud_advanced_terraform',
      ]),
    ],
  },
  {
    id: 'trk_sql',
    name: 'SQL',
    slug: 'sql',
    packages: [
      pack('sql', 'BEGINNER', 'SQL Fundamentals', 'Putting questions to a database and shaping its tables.', [
        'quiz_sql_beginner_queries',
        'quiz_sql_beginner_modelling',
      ]),
      pack('sql', 'INTERMEDIATE', 'SQL Practitioner', 'Analytical queries that come back in time.', [
        'quiz_sql_intermediate_windows',
        'quiz_sql_intermediate_tuning',
      ]),
    ],
  },
]

/** The documented world: the one in the guides and examples. */
export const DEFAULT_CATALOGUE: WorldData = {
  quizzes: QUIZZES,
  tracks: TRACKS,
  candidates: CANDIDATES,
  apiKeys: API_KEYS,
}

/** The documented world with some parts replaced. Parts that depend on a replaced one are then empty by default. */
export function worldDataWith({ quizzes, tracks, candidates, apiKeys }: Partial<WorldData> = {}): WorldData {
  return {
    quizzes: quizzes ?? DEFAULT_CATALOGUE.quizzes,
    tracks: tracks ?? (quizzes ? [] : DEFAULT_CATALOGUE.tracks),
    candidates: candidates ?? (quizzes || tracks ? [] : DEFAULT_CATALOGUE.candidates),
    apiKeys: apiKeys ?? DEFAULT_CATALOGUE.apiKeys,
  }
}

function pack(track: string, level: Level, name: string, description: string, quizIds: string[]): Package {
  return { id: `pkg_${track}_${level.toLowerCase()}`, name, level, description, quizIds }
}
