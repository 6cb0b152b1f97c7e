-------------------------------- MODULE Mvba --------------------------------
(***************************************************************************)
(* Safety of validated agreement: the votes, keys, locks and commits of    *)
(* spec/abft.md, without encodings and coins.                              *)
(*                                                                         *)
(* Promotions.  Only certificates of a view's leader have an effect on     *)
(* other views, so the model has one promotion per view: the leader's.     *)
(* The leader may send each value to each member with each key that        *)
(* exists, whether it is faulty or not, so that the choice of the leader   *)
(* does not matter.  A correct leader does less.                           *)
(*                                                                         *)
(* Network.  Every message may reach a member at any time or never: a      *)
(* member acts on any certificate for which enough votes exist, and may    *)
(* abandon a view at any time.  So every order, delay and loss of          *)
(* messages, and every election, is a behaviour.                           *)
(*                                                                         *)
(* Reductions.  A member votes in ascending stages: a vote of an earlier   *)
(* stage, whose certificate exists by then, has no effect.  A member       *)
(* abandons a view when its report is first used: before, it may have      *)
(* abandoned the view or not.  MayCertify replaces the votes of the last   *)
(* view if it has no stages.                                               *)
(*                                                                         *)
(* If Single, all votes of a view are for one value: by OneValue, which is *)
(* checked without this reduction, only one value is certified, and votes  *)
(* for a value without a certificate have no effect.                       *)
(*                                                                         *)
(* Faulty members.  They have signed every vote from the beginning:        *)
(* certificates need only correct signers in addition.  They report        *)
(* nothing or any certificate that exists.                                 *)
(*                                                                         *)
(* Decisions.  A member may decide whenever a commit exists.  A member     *)
(* that has decided falls silent, which any member may, so a decision is   *)
(* no step.                                                                *)
(*                                                                         *)
(* Broken is the set of broken rules.  If it is empty, TLC finds that the  *)
(* invariants hold; it refutes each broken rule alone.                     *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Correct,    \* the members that follow the rules
    Faulty,     \* number of the other members
    Quorum,     \* number of signers of a certificate
    Values,     \* the values that a leader may promote
    Valid,      \* those that satisfy the predicate
    Views,      \* the views are 1 .. Views
    Stages,     \* number of stages; only CompleteDecides needs the fourth
    LastStages, \* number of stages in the last view; 0 if MayCertify replaces its votes
    Single,     \* whether all votes of a view are for one value
    Broken      \* the broken rules, by name

VARIABLES
    voted,      \* for each member, view and value, the stage of the member's last vote, 0 without one
    view,       \* for each member, its view
    reported,   \* the members whose report of their view was used: they have abandoned it
    key,        \* for each member, the view of its key, 0 without one
    lock        \* for each member, the view of its lock, 0 without one

variables == <<voted, view, reported, key, lock>>

Symmetry == Permutations(Correct) \union Permutations(Valid)

LastStage(v) == IF v = Views THEN LastStages ELSE Stages

(***************************************************************************)
(* Certificates.                                                           *)
(***************************************************************************)

ASSUME Faulty < Quorum  \* so that every certificate has a correct signer

Certified(v, stage, value) == Cardinality({m \in Correct : voted[m][v][value] >= stage}) + Faulty >= Quorum

IsKey(v, value) == Certified(v, 1, value)

IsLock(v, value) == Certified(v, 2, value)

(* The certificate with which a member decides.                            *)
IsCommit(v, value) == Certified(v, IF "decides with a lock" \in Broken THEN 2 ELSE 3, value)

(* The certificate that shows that a promotion is complete.                *)
IsComplete(v, value) == Certified(v, IF "completes with a commit" \in Broken THEN 3 ELSE 4, value)

(***************************************************************************)
(* Reports of a view: the stage of the highest certificate, 0 if a member  *)
(* has none.  A member has the certificate of a stage if it voted in the   *)
(* next stage.  The report does not change later, because a member that    *)
(* has abandoned a view does not vote in it.                               *)
(***************************************************************************)

Highest(stages) == CHOOSE stage \in stages : \A other \in stages : other <= stage

Report(m, v) == Highest({0} \union {voted[m][v][value] - 1 : value \in Values})

FaultyReports(v) == {0} \union {stage \in 1 .. 3 : \E value \in Values : Certified(v, stage, value)}

Reports == IF "leaves with f + 1 reports" \in Broken THEN Faulty + 1 ELSE Cardinality(Correct)

(***************************************************************************)
(* Steps.                                                                  *)
(***************************************************************************)

(* Whether a member votes for a value in stage 1: the value is valid, and  *)
(* has a key that is not older than the lock.                              *)
Accepts(m, value) ==
    /\ value \in IF "accepts invalid values" \in Broken THEN Values ELSE Valid
    /\ \/ lock[m] = 0
       \/ "ignores its lock" \in Broken
       \/ "accepts unproved keys" \in Broken
       \/ \E v \in 1 .. view[m] - 1 : v >= lock[m] /\ IsKey(v, value)

(* Stage 1: on the first Promote.                                          *)
Accept(m) ==
    /\ m \notin reported /\ LastStage(view[m]) > 0
    /\ "accepts two values" \in Broken \/ \A value \in Values : voted[m][view[m]][value] = 0
    /\ \E value \in Values :
        /\ Accepts(m, value)
        /\ voted[m][view[m]][value] = 0
        /\ Single => \A other \in Correct, v \in Values \ {value} : voted[other][view[m]][v] = 0
        /\ voted' = [voted EXCEPT ![m][view[m]][value] = 1]
    /\ UNCHANGED <<view, reported, key, lock>>

(* The next stage: on the certificate of the stage before.                 *)
Advance(m) ==
    /\ \E v \in 1 .. view[m], value \in Values :
        LET stage == voted[m][v][value]
        IN  /\ (v = view[m] /\ m \notin reported) \/ "votes after its report" \in Broken
            /\ 0 < stage /\ stage < LastStage(v)
            /\ Certified(v, stage, value)
            /\ voted' = [voted EXCEPT ![m][v][value] = stage + 1]
    /\ UNCHANGED <<view, reported, key, lock>>

(* N - f reports without a commit begin the next view: the member's own,   *)
(* those of other correct members, and those of faulty ones.               *)
Leave(m) ==
    /\ view[m] < Views
    /\ \E others \in SUBSET {other \in Correct \ {m} : view[other] >= view[m]} :
        LET missing == Reports - 1 - Cardinality(others)
            mine == Highest({Report(other, view[m]) : other \in others \union {m}})
            highest == {Highest({mine, shown}) : shown \in IF missing = 0 THEN {0} ELSE FaultyReports(view[m])}
            least == IF "locks on a key" \in Broken THEN 1 ELSE 2
        IN  /\ missing \in 0 .. Faulty
            /\ reported' = (reported \union {other \in others : view[other] = view[m]}) \ {m}
            /\ \E shown \in highest \ {3} :
                LET stage == IF "adopts nothing" \in Broken THEN 0 ELSE shown
                    kept == IF "forgets its lock" \in Broken /\ stage = 1 THEN 0 ELSE lock[m]
                IN  /\ key' = [key EXCEPT ![m] = IF stage >= 1 THEN view[m] ELSE @]
                    /\ lock' = [lock EXCEPT ![m] = IF stage >= least THEN view[m] ELSE kept]
    /\ view' = [view EXCEPT ![m] = @ + 1]
    /\ UNCHANGED voted

Start ==
    /\ voted = [m \in Correct |-> [v \in 1 .. Views |-> [value \in Values |-> 0]]]
    /\ view = [m \in Correct |-> 1]
    /\ reported = {}
    /\ key = [m \in Correct |-> 0]
    /\ lock = [m \in Correct |-> 0]

Step == \E m \in Correct : Accept(m) \/ Advance(m) \/ Leave(m)

Mvba == Start /\ [][Step]_variables

(***************************************************************************)
(* What must hold.                                                         *)
(***************************************************************************)

(* A view certifies a value, or, if the last view has no votes, could do   *)
(* so: enough members are in it and accept the value.  No member leaves    *)
(* the last view: what it accepts there it accepts from then on.           *)
MayCertify(v, value) ==
    \/ IsKey(v, value)
    \/ /\ v = Views /\ LastStages = 0
       /\ Cardinality({m \in Correct : view[m] = v /\ Accepts(m, value)}) + Faulty >= Quorum

(* When a value can be decided, no later view certifies another one: all   *)
(* decisions are equal.                                                    *)
Agreement ==
    \A v \in 1 .. Views, value \in Values : IsCommit(v, value) =>
        \A later \in v .. Views, other \in Values : MayCertify(later, other) => other = value

(* A value that can be decided satisfies the predicate.                    *)
Validity == \A v \in 1 .. Views, value \in Values : IsCommit(v, value) => value \in Valid

(* The certificates of a view are for one value.                           *)
OneValue == \A v \in 1 .. Views, one, other \in Values : IsKey(v, one) /\ IsKey(v, other) => one = other

(* A commit proves that a quorum without its faulty members has the lock:  *)
(* they are in the view or carry it to the next one.  Every other correct  *)
(* member that has left the view is locked as well, on it or a later one.  *)
Locked ==
    \A v \in 1 .. Views, value \in Values : IsCommit(v, value) =>
        /\ Cardinality({m \in Correct : Report(m, v) >= 2}) >= Quorum - Faulty
        /\ IsLock(v, value) /\ IsKey(v, value)
        /\ \A m \in Correct : view[m] > v => lock[m] >= v

(* A lock has a certificate.                                               *)
LockProved == \A m \in Correct : lock[m] # 0 => \E value \in Values : IsLock(lock[m], value)

(* Locks do not fall: a correct member's lock is the last view of which it *)
(* has a lock certificate itself, or a later one.                          *)
LockRises == \A m \in Correct, v \in 1 .. Views : v < view[m] /\ Report(m, v) >= 2 => lock[m] >= v

(* Progress: the key of a correct member is not older than the lock of any *)
(* other one, so that all correct members vote for its value.              *)
KeyNotOlder == \A m, other \in Correct : view[m] > lock[other] => key[m] >= lock[other]

(* Progress: no correct member leaves a view whose leader's promotion is   *)
(* complete without a decision.                                            *)
CompleteDecides == \A v \in 1 .. Views, value \in Values : IsComplete(v, value) => \A m \in Correct : view[m] <= v

(***************************************************************************)
(* What must not hold, or the model would prove nothing.                   *)
(***************************************************************************)

(* No member leaves a view that decides.                                   *)
NothingLeft == \A v \in 1 .. Views, value \in Values : IsCommit(v, value) => \A m \in Correct : view[m] <= v

(* Members that are locked certify nothing in later views.                 *)
NothingKept ==
    \A m \in Correct : lock[m] # 0 => \A v \in lock[m] + 1 .. Views, value \in Values : ~MayCertify(v, value)

(* A lock certificate in one view excludes other values in later ones.     *)
NothingReleased ==
    \A v, later \in 1 .. Views, one, other \in Values :
        v < later /\ IsLock(v, one) /\ MayCertify(later, other) => one = other

=============================================================================
