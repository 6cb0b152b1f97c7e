------------------------------ MODULE Jolteon ------------------------------
(***************************************************************************)
(* Safety of Jolteon: the votes and timeouts of spec/jolteon.md, without   *)
(* timers, batches, states and encodings.                                  *)
(*                                                                         *)
(* Blocks.  A block is the sequence of views and values from the first     *)
(* block of its chain to itself; the genesis is the empty sequence.        *)
(* Values number the blocks of one view and parent in the order of their   *)
(* first votes.  Leaders are not modelled: any block that follows from     *)
(* certificates may be proposed to any member.                             *)
(*                                                                         *)
(* Network.  Every message may reach a member at any time or never: a      *)
(* member acts on any certificate for which enough signatures exist, and   *)
(* may skip views.  It learns a certificate in the step that needs it, so  *)
(* that it knows nothing but its durable records.                          *)
(*                                                                         *)
(* Faulty members.  They have signed every vote and every timeout from the *)
(* beginning: certificates need only honest signers in addition.  Their    *)
(* answers to a ViewRequest prove no view.                                 *)
(*                                                                         *)
(* Crashes.  A member's records are durable before a signature is sent, so *)
(* a crash is no step.  Afterwards it abstains, which any member may.      *)
(*                                                                         *)
(* Rollback.  A member loses all records.  Older records allow less: the   *)
(* member can learn their certificates again, and their guard refuses      *)
(* more.  The answers arrive at once: later ones do not prove less.  The   *)
(* member keeps none of their certificates, as after a crash.  It counts   *)
(* as rolled back until it has signed in a view above its abstention.      *)
(*                                                                         *)
(* If InOrder, no member signs in a view after another one has signed in a *)
(* later view.  Without rollback, all signatures that are possible are     *)
(* possible in this order, because a signature needs certificates of lower *)
(* views only.  Then Essence can leave out what happened in lower views.   *)
(*                                                                         *)
(* Broken is the set of broken rules.  If it is empty, TLC finds that the  *)
(* invariants hold; it refutes each broken rule alone, except those of the *)
(* configurations with holds-without in their names.                       *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Honest,     \* the members that follow the rules
    Faulty,     \* number of the other members
    Quorum,     \* number of signers of a certificate
    Values,     \* number of blocks that a view may have above one parent
    Views,      \* the views are 1 .. Views; the genesis is certified in view 0
    Lost,       \* number of members that may be rolled back at the same time
    Helps,      \* whether members that abstain sign timeouts: step 3 of the rollback rule
    InOrder,    \* whether members sign in the order of views
    Broken      \* the broken rules, by name

VARIABLES
    votes,      \* for each member, the blocks that it ever voted for
    timeouts,   \* for each member, the timeouts that it ever signed: <<view, value>>
    certified,  \* the blocks that have a certificate
    ended,      \* for each view, the least highest value of its timeout certificates, Views without one
    voted,      \* for each member, the last view with a vote in its records
    timedOut,   \* for each member, the last view with a timeout in its records
    high,       \* for each member, the view of the highest certificate in its records: its lock
    until       \* for each member, the last view of its last abstention, 0 without one

variables == <<votes, timeouts, certified, ended, voted, timedOut, high, until>>

Max(numbers) == CHOOSE n \in numbers : \A other \in numbers : other <= n
Min(numbers) == CHOOSE n \in numbers : \A other \in numbers : other >= n

Genesis == <<>>
View(block) == IF block = Genesis THEN 0 ELSE block[Len(block)][1]
Parent(block) == SubSeq(block, 1, Len(block) - 1)
Extends(block, ancestor) == Len(ancestor) <= Len(block) /\ SubSeq(block, 1, Len(ancestor)) = ancestor

(***************************************************************************)
(* Certificates.                                                           *)
(***************************************************************************)

ASSUME Faulty < Quorum  \* so that every certificate has an honest signer

(* Whether a block is certified once a member votes for it.                *)
Certifies(m, block) == Cardinality({other \in Honest \ {m} : block \in votes[other]}) + 1 + Faulty >= Quorum

(* The highest values of the timeout certificates that exist once a member *)
(* signs a timeout.                                                        *)
EndedWith(m, view, value) ==
    LET signed(other) == timeouts[other] \union (IF other = m THEN {<<view, value>>} ELSE {})
        values == {t[2] : t \in {t \in UNION {signed(other) : other \in Honest} : t[1] = view}}
        signers(highest) ==
            Cardinality({other \in Honest : \E t \in signed(other) : t[1] = view /\ t[2] <= highest}) + Faulty
        count(highest) == IF "counts signers twice" \in Broken THEN 2 * signers(highest) ELSE signers(highest)
    IN  {highest \in values : count(highest) >= Quorum}

(* Whether a view has a timeout certificate with at most this highest      *)
(* value.                                                                  *)
Ended(view, value) == ended[view] <= value

(* The parents of certified blocks in the next view, with all their        *)
(* ancestors.                                                              *)
Committed ==
    IF "commits with one certificate" \in Broken THEN certified
    ELSE {Parent(block) : block \in
            {block \in certified \ {Genesis} :
                "commits across views" \in Broken \/ View(block) = View(Parent(block)) + 1}}

(***************************************************************************)
(* Steps.                                                                  *)
(***************************************************************************)

InTurn(view) == InOrder => \A m \in Honest : voted[m] <= view /\ timedOut[m] <= view

(* Rule 1: at most one vote in a view, views ascending, and none in a view *)
(* with an own timeout.                                                    *)
MayVote(m, view) ==
    /\ "votes while it abstains" \in Broken \/ view > until[m]
    /\ IF "votes in any order" \in Broken
       THEN (\A block \in votes[m] : View(block) # view) /\ (\A t \in timeouts[m] : t[1] # view)
       ELSE /\ IF "votes twice" \in Broken THEN view >= voted[m] ELSE view > voted[m]
            /\ IF "votes after its timeout" \in Broken THEN view >= timedOut[m] ELSE view > timedOut[m]

(* Rule 2: the shape of a block in a view, above a parent.                 *)
Follows(view, parent) ==
    \/ view = View(parent) + 1
    \/ "skips views without TC" \in Broken
    \/ Ended(view - 1, IF "ignores the TC's values" \in Broken THEN view - 1 ELSE View(parent))

Parents ==
    IF "votes above uncertified blocks" \in Broken THEN certified \union UNION {votes[m] : m \in Honest}
    ELSE certified

Vote(m) ==
    \E view \in 1 .. Views :
        /\ InTurn(view) /\ MayVote(m, view)
        /\ \E parent \in {block \in Parents : View(block) < view}, value \in 1 .. Values :
            LET block == Append(parent, <<view, value>>)
                earlier == Append(parent, <<view, value - 1>>)
            IN  /\ Follows(view, parent)
                /\ block \notin votes[m]
                /\ value = 1 \/ \E other \in Honest : earlier \in votes[other]
                /\ votes' = [votes EXCEPT ![m] = @ \union {block}]
                /\ certified' = IF Certifies(m, block) THEN certified \union {block} ELSE certified
                /\ high' = IF "does not raise its lock" \in Broken THEN high
                           ELSE [high EXCEPT ![m] = Max({@, View(parent)})]
        /\ voted' = [voted EXCEPT ![m] = Max({@, view})]
        /\ UNCHANGED <<timeouts, ended, timedOut, until>>

(* Rule 3: at most one timeout in a view, views ascending, with the view   *)
(* of the highest known certificate.  The member entered the view with     *)
(* this certificate or with a timeout certificate whose highest value is   *)
(* not above it.  Timeouts of the last view have no effect.                *)
Timeout(m) ==
    \E view \in 1 .. Views - 1 :
        /\ InTurn(view)
        /\ Helps \/ view > until[m]
        /\ IF "times out twice" \in Broken THEN view >= timedOut[m] ELSE view > timedOut[m]
        /\ view >= voted[m]
        /\ \E value \in {View(block) : block \in certified} :
            /\ value >= high[m] \/ "names an old certificate" \in Broken
            /\ value < view
            /\ \/ value = view - 1
               \/ Ended(view - 1, IF "enters without certificate" \in Broken THEN view - 1 ELSE value)
            /\ timeouts' = [timeouts EXCEPT ![m] = @ \union {<<view, value>>}]
            /\ ended' = [ended EXCEPT ![view] = Min({@} \union EndedWith(m, view, value))]
            /\ high' = [high EXCEPT ![m] = Max({@, value})]
        /\ timedOut' = [timedOut EXCEPT ![m] = view]
        /\ UNCHANGED <<votes, certified, voted, until>>

(* The view up to which a member abstains, by the answers of a quorum that *)
(* includes it: one above the highest view that they prove.                *)
Abstentions(m) ==
    LET needed == (IF "asks f + 1 members" \in Broken THEN 2 ELSE Quorum) - 1 - Faulty
        answers == {others \in SUBSET (Honest \ {m}) : Cardinality(others) = needed}
        proved(others) == Max({1} \union {voted[o] : o \in others} \union {timedOut[o] : o \in others})
        highest == IF "accepts old answers" \in Broken THEN {1} ELSE {proved(others) : others \in answers}
    IN  IF "does not abstain" \in Broken THEN {0}
        ELSE IF "abstains for one view less" \in Broken THEN highest
        ELSE {view + 1 : view \in highest}

Abstains(m) == until[m] > 0 /\ voted[m] <= until[m] /\ timedOut[m] <= until[m]

RollBack(m) ==
    /\ \/ Cardinality({other \in Honest \ {m} : Abstains(other)}) < Lost
       \/ "loses its records in a crash" \in Broken
    /\ voted[m] > 0 \/ timedOut[m] > 0
    /\ voted' = [voted EXCEPT ![m] = 0]
    /\ timedOut' = [timedOut EXCEPT ![m] = 0]
    /\ high' = [high EXCEPT ![m] = 0]
    /\ \E view \in Abstentions(m) : until' = [until EXCEPT ![m] = view]
    /\ UNCHANGED <<votes, timeouts, certified, ended>>

(* A crash of a member whose guard is durable, but not the blocks and      *)
(* certificates: only if that rule is broken.                              *)
LoseLock(m) ==
    /\ "loses its lock in a crash" \in Broken
    /\ high[m] > 0
    /\ high' = [high EXCEPT ![m] = 0]
    /\ \E view \in Abstentions(m) : until' = [until EXCEPT ![m] = Max({view, voted[m] + 1, timedOut[m] + 1})]
    /\ UNCHANGED <<votes, timeouts, certified, ended, voted, timedOut>>

Start ==
    /\ votes = [m \in Honest |-> {}]
    /\ timeouts = [m \in Honest |-> {}]
    /\ certified = {Genesis}
    /\ ended = [view \in 0 .. Views |-> Views]
    /\ voted = [m \in Honest |-> 0]
    /\ timedOut = [m \in Honest |-> 0]
    /\ high = [m \in Honest |-> 0]
    /\ until = [m \in Honest |-> 0]

Step == \E m \in Honest : Vote(m) \/ Timeout(m) \/ RollBack(m) \/ LoseLock(m)

Jolteon == Start /\ [][Step]_variables

(***************************************************************************)
(* What must hold.                                                         *)
(***************************************************************************)

(* In a view at most one block is certified.                               *)
OneCertified == \A one, other \in certified : View(one) = View(other) => one = other

(* Once a block is committed, every certified block of its view or a later *)
(* one extends it.                                                         *)
Safety == \A block \in Committed : \A later \in certified : View(later) >= View(block) => Extends(later, block)

(* All committed blocks are on one chain.                                  *)
Agreement == \A one, other \in Committed : Extends(one, other) \/ Extends(other, one)

(* A member votes for at most one block in a view, whatever it has lost.   *)
OneVote == \A m \in Honest : \A one, other \in votes[m] : View(one) = View(other) => one = other

(* A member signs at most one timeout in a view.                           *)
OneTimeout == \A m \in Honest : \A one, other \in timeouts[m] : one[1] = other[1] => one = other

(* A timeout does not name less than the parent of a block for which the   *)
(* member voted in that view or a lower one.                               *)
NamesLock ==
    \A m \in Honest : \A t \in timeouts[m], block \in votes[m] :
        View(block) <= t[1] => View(Parent(block)) <= t[2]

(* Lost signatures are of views without participation.                     *)
LostCovered ==
    \A m \in Honest : until[m] > 0 =>
        /\ \A block \in votes[m] : View(block) <= Max({until[m], voted[m]})
        /\ \A t \in timeouts[m] : t[1] <= Max({until[m], timedOut[m]})

(***************************************************************************)
(* The part of a state on which later steps and the invariants depend: TLC *)
(* explores one of the states that are equal in it.  Members are           *)
(* interchangeable, and votes for a certified block and timeouts that      *)
(* improve no certificate have no further effect.                          *)
(***************************************************************************)

Essence ==
    LET now == Max({voted[m] : m \in Honest} \union {timedOut[m] : m \in Honest})
        first == IF InOrder THEN now ELSE 1
        last(view) == IF InOrder /\ Lost = 0 /\ view < now THEN 0 ELSE view
        refused(view) == IF "votes in any order" \in Broken THEN {} ELSE 1 .. view
        profile(m) ==
            <<{block \in votes[m] : View(block) >= first /\ block \notin certified},
              {t \in timeouts[m] : t[1] >= first /\ t[2] < ended[t[1]]},
              {View(block) : block \in votes[m]} \ refused(voted[m]),
              {t[1] : t \in timeouts[m]} \ refused(timedOut[m]),
              last(voted[m]), last(timedOut[m]), high[m], until[m]>>
        profiles == TLCEval([m \in Honest |-> profile(m)])
    IN  <<certified, [view \in 0 .. Views |-> IF view >= first - 1 THEN ended[view] ELSE 0], now,
          OneVote, OneTimeout, NamesLock, LostCovered,
          [p \in {profiles[m] : m \in Honest} |-> Cardinality({m \in Honest : profiles[m] = p})]>>

(***************************************************************************)
(* Histories that are too long to be searched for.  With the constraint    *)
(* OnHistory, TLC explores only the states of one of them.                 *)
(***************************************************************************)

Ancestor == <<<<1, 1>>>>
Child == <<<<1, 1>>, <<2, 1>>>>
Fork == <<<<4, 1>>>>

(* Of four honest members, 1 and 2 are rolled back, one after the other.   *)
(* Member 1 helps to certify the child, loses its records and learns from  *)
(* members in view 1.  It enters view 3 with timeouts of view 2, without   *)
(* the certificate that two of them name.                                  *)
RollbackHistory ==
    <<<<"vote", 1, Ancestor>>, <<"vote", 2, Ancestor>>, <<"vote", 3, Ancestor>>,
      <<"timeout", 1, <<1, 0>>>>, <<"timeout", 2, <<1, 0>>>>, <<"timeout", 4, <<1, 0>>>>,
      <<"vote", 1, Child>>, <<"rollback", 1>>, <<"vote", 2, Child>>, <<"vote", 3, Child>>,
      <<"timeout", 4, <<2, 0>>>>, <<"timeout", 2, <<2, 1>>>>, <<"timeout", 3, <<2, 1>>>>,
      <<"timeout", 4, <<3, 0>>>>, <<"timeout", 1, <<3, 0>>>>,
      <<"rollback", 2>>, <<"timeout", 2, <<3, 0>>>>,
      <<"vote", 1, Fork>>, <<"vote", 4, Fork>>, <<"vote", 3, Fork>>>>

(* Of three honest members, 1 enters view 3 without the certificate that a *)
(* timeout of view 2 names, gives up view 3, and then votes in view 2.     *)
OrderHistory ==
    <<<<"vote", 1, Ancestor>>, <<"vote", 2, Ancestor>>, <<"timeout", 1, <<1, 0>>>>, <<"timeout", 3, <<1, 0>>>>,
      <<"vote", 2, Child>>, <<"timeout", 2, <<2, 1>>>>, <<"timeout", 3, <<2, 0>>>>,
      <<"timeout", 1, <<3, 0>>>>, <<"timeout", 3, <<3, 0>>>>, <<"vote", 1, Child>>,
      <<"vote", 1, Fork>>, <<"vote", 3, Fork>>>>

(* A configuration replaces it by the other one.                           *)
History == RollbackHistory

OnHistory ==
    \E last \in 0 .. Len(History) :
        LET done(kind, m) == {n \in 1 .. last : History[n][1] = kind /\ History[n][2] = m}
        IN  \A m \in Honest :
                /\ votes[m] = {History[n][3] : n \in done("vote", m)}
                /\ timeouts[m] = {History[n][3] : n \in done("timeout", m)}
                /\ (until[m] > 0) <=> (done("rollback", m) # {})

(***************************************************************************)
(* What must not hold, or the model would prove nothing.                   *)
(***************************************************************************)

(* Nothing above the genesis is committed.                                 *)
NothingCommitted == Committed \subseteq {Genesis}

(* No block above a skipped view is committed.                             *)
NothingSkipped == \A block \in Committed : View(block) = Len(block)

(* No block is certified with a member's vote after its rollback.          *)
NothingRecovered ==
    \A m \in Honest : until[m] > 0 => \A block \in votes[m] \intersect certified : View(block) <= until[m]

=============================================================================
