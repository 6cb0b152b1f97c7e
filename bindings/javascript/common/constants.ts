/** Maximum number of members of a committee: 65,535. */
export const MAX_MEMBERS = 65_535;
