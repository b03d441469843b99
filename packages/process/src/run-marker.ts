/** The variable that a run's processes inherit, and by which those that left its tree are found. */
export const runMarkerVariable = 'KAPSO_RUN_ID';
