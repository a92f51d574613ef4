import { SCOPE_OF } from '../generated/operations.ts'
import type { ApiKey, CandidateHistory, Level, MockWorld, Package, Track, WorldData } from '../generated/contract.ts'
import { SCOPES } from './model.ts'
import { QUIZZES } from './quizzes.ts'

/** The keys of the default world. They work for a mock only. */
const API_KEYS: readonly ApiKey[] = [
  { name: 'full', key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w', scopes: SCOPES },
  {
    name: 'read',
    key: 'ck_sandbox_read_5d8k2r7n4b1j9f6s',
    scopes: [SCOPE_OF.developerCertificationPackageTracks],
  },
  {
    name: 'invite',
    key: 'ck_sandbox_invite_3p6z9g2y5a8w1e4u',
    scopes: [SCOPE_OF.developerCreateCertificationInvite],
  },
  { name: 'none', key: 'ck_sandbox_none_8t1c4v7m2x5q9h6k', scopes: [] },
]

const CANDIDATES: readonly CandidateHistory[] = [
  { email: 'marta.lindqvist@candidate.test', certifications: [{ quizId: 'quiz_react_beginner_components' }] },
  { email: 'tomasz.okafor@candidate.test', attempts: [{ quizId: 'quiz_react_beginner_components' }] },
]

/*
 * A line for each track: its identifier, slug and name. Below it, two lines for each package: its identifier, level, name
 * and description, then its quizzes.
 */
const TRACKS_TABLE = `
trk_react | react | React
  pkg_react_beginner | BEGINNER | React Fundamentals | Building a first interface out of components and state.
    quiz_react_beginner_components quiz_react_beginner_state quiz_javascript_beginner
  pkg_react_intermediate | INTERMEDIATE | React Practitioner | Day-to-day work on an application with many screens.
    quiz_react_intermediate_hooks quiz_react_intermediate_routing
  pkg_react_advanced | ADVANCED | React Professional | Keeping a large application fast and trustworthy.
    quiz_react_advanced_performance quiz_react_advanced_testing
  pkg_react_expert | EXPERT | React Expert | Setting the direction of a front end that several teams share.
    quiz_react_expert_architecture quiz_react_expert_accessibility
trk_python_data | python-data | Python for Data
  pkg_python_data_beginner | BEGINNER | Python for Data Fundamentals | Reading, asking and reshaping data.
    quiz_python_beginner quiz_sql_beginner_queries
  pkg_python_data_intermediate | INTERMEDIATE | Python for Data Practitioner | Answering questions with real data sets.
    quiz_python_intermediate_pandas quiz_python_intermediate_plots
  pkg_python_data_advanced | ADVANCED | Python for Data Professional | Models and pipelines that run every night.
    quiz_python_advanced_learning quiz_python_advanced_pipelines
trk_cloud_operations | cloud-operations | Cloud Operations
  pkg_cloud_operations_beginner | BEGINNER | Cloud Operations Fundamentals | The ground that every cloud stands on.
    quiz_linux_beginner quiz_network_beginner
  pkg_cloud_operations_intermediate | INTERMEDIATE | Cloud Operations Practitioner | Running services and seeing inside.
    quiz_cloud_intermediate_containers quiz_cloud_intermediate_observability
  pkg_cloud_operations_advanced | ADVANCED | Cloud Operations Professional | Staying calm when production is not.
    quiz_cloud_advanced_incidents quiz_cloud_advanced_terraform
trk_sql | sql | SQL
  pkg_sql_beginner | BEGINNER | SQL Fundamentals | Putting questions to a database and shaping its tables.
    quiz_sql_beginner_queries quiz_sql_beginner_modelling
  pkg_sql_intermediate | INTERMEDIATE | SQL Practitioner | Analytical queries that come back in time.
    quiz_sql_intermediate_windows quiz_sql_intermediate_tuning`

const TRACKS: readonly Track[] = [...TRACKS_TABLE.matchAll(/^(\S.*)\n((?: .*\n?)+)/gm)].map(
  ([, track = '', packages = '']) => {
    const [id = '', slug = '', name = ''] = track.split(' | ')
    return { id, name, slug, packages: packagesIn(packages) }
  },
)

function packagesIn(lines: string): Package[] {
  return [...lines.matchAll(/^ {2}(\S.*)\n {4}(.*)$/gm)].map(([, facts = '', quizzes = '']) => {
    const [id = '', level = '', name = '', description = ''] = facts.split(' | ')
    return { id, name, level: level as Level, description, quizIds: quizzes.split(' ') }
  })
}

/** The default world: the one in the guides and examples. */
export const DEFAULT_CATALOGUE: WorldData = {
  quizzes: QUIZZES,
  tracks: TRACKS,
  candidates: CANDIDATES,
  apiKeys: API_KEYS,
}

/** The default world with some parts replaced. Parts that depend on a replaced one are then empty by default. */
export function worldDataWith({ quizzes, tracks, candidates, apiKeys }: MockWorld = {}): WorldData {
  return {
    quizzes: quizzes ?? DEFAULT_CATALOGUE.quizzes,
    tracks: tracks ?? (quizzes ? [] : DEFAULT_CATALOGUE.tracks),
    candidates: candidates ?? (quizzes || tracks ? [] : DEFAULT_CATALOGUE.candidates),
    apiKeys: apiKeys ?? DEFAULT_CATALOGUE.apiKeys,
  }
}
