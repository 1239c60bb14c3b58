// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import "./Base.sol";

/// As Circle's token: a frozen account neither sends nor receives.
contract UsdcLike is Base {
    string public constant symbol = "USDC";

    function isBlacklisted(address account) external view returns (bool) {
        return frozen[account];
    }

    function transfer(address to, uint256 units) external returns (bool) {
        require(paused == 0, "Pausable: paused");
        require(!frozen[msg.sender] && !frozen[to], "Blacklistable: account is blacklisted");
        move(msg.sender, to, units);
        return true;
    }
}
