export { type CampaignPlan, type PlanOptions, planCampaign } from './plan.ts'
export type { PlannedSends } from './planned-sends.ts'
export type {
  CampaignEvent,
  CampaignRow,
  CampaignSummary,
  FinishedEvent,
  InProgressEvent,
  OutageEvent,
  PauseEvent,
  PlannedRow,
  PlannedStatus,
  RowEvent,
  RowStatus,
} from './row.ts'
export { runCampaign } from './run.ts'
export type { RunOptions } from './run-options.ts'
