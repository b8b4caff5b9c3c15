import type { Renewed } from '../../../../../people/portal-users/portal.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import { keepSession } from '../../session-cookie.ts';
import type { TextKey } from '../../texts.ts';

export const ME = '/portal/me';

/** Gives the browser the cookie of the new session after a change, and goes back to the settings with a message. */
export function renewed(call: PortalCall, change: Renewed, said: TextKey): PortalAnswer {
	keepSession(call, change.session);
	return { redirectTo: ME, notice: call.say(said) };
}
