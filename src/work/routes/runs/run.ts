/** What began a run. */
export type RunTrigger = 'cron' | 'every' | 'arrival' | 'hand' | 'http' | 'missed';

/**
 * The state of a run. `partly`: some files were delivered and others not. `stopped`: the route was stopped during the run,
 * because its login was refused too often.
 */
export type RunState = 'running' | 'done' | 'partly' | 'failed' | 'stopped';
