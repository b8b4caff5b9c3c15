// What a route tells about itself.

/** The types of what a route tells. Their data hold no card data. */
export type RouteEvent =
	| 'route.done'
	| 'route.failed'
	| 'route.stopped'
	| 'route.file_dead'
	| 'route.file_missing'
	| 'route.file_came';

export interface Teller {
	/** Tells something to whoever wants to know. It never fails, and nothing waits for it. */
	tell(type: RouteEvent, data: Readonly<Record<string, unknown>>): void;
}
