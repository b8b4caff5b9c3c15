// Converts the settings into the limits of the listeners; people write seconds, the listeners count milliseconds.

import { type DefenderSettings, defaultDefenderSettings } from '../base/defender/defender.ts';
import type { Door } from '../base/defender/score-store.ts';
import type { Settings } from '../base/settings/settings.ts';
import { failedLoginSettings } from '../doors/http/access/login-limiter.ts';
import { defaultSftpLimits, type SftpLimits } from '../doors/sftp/limits.ts';

export function sftpLimits({ sftp }: Settings): SftpLimits {
	return {
		...defaultSftpLimits,
		maxStartups: sftp.maxStartups,
		reservedStartups: Math.floor(sftp.maxStartups / 5),
		maxSessions: sftp.maxSessions,
		maxSessionsPerAccount: sftp.maxSessionsPerAccount,
		maxHandles: sftp.maxHandles,
		loginGraceMs: sftp.loginGraceSeconds * 1000,
		maxLoginTries: sftp.maxLoginTries,
		failedLoginDelayMs: sftp.failedLoginDelayMs,
		idleTimeoutMs: sftp.idleTimeoutSeconds * 1000,
		maxHeldBytes: sftp.maxHeldBytes,
		maxUnansweredBytes: sftp.maxUnansweredBytes,
	};
}

export function defenderSettings({ defender }: Settings): Record<Door, DefenderSettings> {
	return {
		sftp: {
			...defaultDefenderSettings,
			scoreLimit: defender.scoreLimit,
			windowMs: defender.windowSeconds * 1000,
			banMs: defender.banSeconds * 1000,
		},
		http: failedLoginSettings,
	};
}
