import type { PortalParts } from '../../parts.ts';
import type { AnyPage } from '../../portal-page.ts';
import { enterPages } from './enter.ts';
import { mePages } from './me.ts';
import { peoplePages } from './people.ts';
import { signInPages } from './sign-in.ts';

/** Returns the pages on which people sign in, set up their own access, and manage that of others. */
export function entrancePages(parts: PortalParts): AnyPage[] {
	return [...signInPages(parts), ...enterPages(parts), ...mePages(parts), ...peoplePages(parts)];
}
