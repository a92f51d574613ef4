export { type CampaignPlan, type PlannedSends, type PlanOptions, planCampaign } from './plan.ts'
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
export { type RunOptions, runCampaign } from './run.ts'
