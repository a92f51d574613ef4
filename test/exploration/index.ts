export { type Explored, exploreAll, exploreRandom } from './explore.ts'
export { asJson } from './report.ts'
export { replay } from './run.ts'
export { RANDOM, type Scenario, scenarios } from './scenario.ts'
